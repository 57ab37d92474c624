/** Shows a text whose parts in backticks are code, such as `svc pack install NAME`. */
export function TextWithCode({ text }: { readonly text: string }) {
	return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}
