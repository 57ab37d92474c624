import { escapeControlCharactersInLines } from "../../contract/control-characters.ts";

/** A file, or another long text, as it is. */
export function CodeBox({ label, text }: { readonly label: string; readonly text: string }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
		<section class="code" tabIndex={0} aria-label={label}>
			<pre>{escapeControlCharactersInLines(text)}</pre>
		</section>
	);
}
