import { signal } from "@preact/signals";
import { preferences } from "../kit/preferences.ts";

const themes = ["system", "light", "dark"] as const;

type Theme = (typeof themes)[number];

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value);
const chosen = signal<Theme>(preferences.get("theme", isTheme) ?? "system");

/** Make the page look as it was chosen in this browser; else it is light or dark as the system is. */
export function applyTheme(): void {
	document.documentElement.dataset["theme"] = chosen.value;
}

/** Light or dark. */
export function ThemeChoice() {
	return (
		<select
			class="quiet"
			aria-label="Theme"
			value={chosen.value}
			onChange={(event) => {
				const { value } = event.currentTarget;
				if (!isTheme(value)) return;
				chosen.value = value;
				preferences.set("theme", value);
				applyTheme();
			}}
		>
			{themes.map((theme) => (
				<option key={theme} value={theme}>
					{theme}
				</option>
			))}
		</select>
	);
}
