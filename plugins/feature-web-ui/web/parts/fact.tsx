import type { ComponentChildren } from "preact";

/** Shows a name and a value of a record, inside a `dl` of the class `facts`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}
