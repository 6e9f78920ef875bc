// Light or dark: as the system says, unless somebody chose.

const KEY = "sil-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

function apply() {
  const theme = localStorage.getItem(KEY) ?? (system.matches ? "dark" : "light");
  document.documentElement.dataset.theme = theme;
  const button = document.getElementById("theme");
  button.textContent = theme === "dark" ? "Light" : "Dark";
  button.setAttribute("aria-label", `Use the ${theme === "dark" ? "light" : "dark"} colours`);
  document.dispatchEvent(new Event("themechange"));
}

export function startTheme() {
  system.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", () => {
    localStorage.setItem(KEY, document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    apply();
  });
  apply();
}
