import { signal } from "@preact/signals";
import { preferences } from "../kit/preferences.ts";
import * as texts from "../texts/frame.ts";

const themes = ["system", "light", "dark"] as const;

type Theme = (typeof themes)[number];

const isTheme = (value: unknown): value is Theme => themes.some((theme) => theme === value);
const chosen = signal<Theme>(preferences.get("theme", isTheme) ?? "system");

/** Applies the theme that was selected in this browser. If none was selected, the theme of the operating system applies. */
export function applyTheme(): void {
	document.documentElement.dataset["theme"] = chosen.value;
}

/** Shows a select box for the theme. */
export function ThemeChoice() {
	return (
		<select
			class="quiet"
			aria-label={texts.theme}
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
