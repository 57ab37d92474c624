import { escapeControlCharactersInLines } from "../../../_shipped/client.ts";

/** Shows a file or another long string unformatted. */
export function CodeBox({ label, text }: { readonly label: string; readonly text: string }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
		<section class="code" tabIndex={0} aria-label={label}>
			<pre>{escapeControlCharactersInLines(text)}</pre>
		</section>
	);
}
