import type { ComponentChildren } from "preact";

/** A fact of a record, in a `dl` of the class `facts`. */
export function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}
