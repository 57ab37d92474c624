import type { ComponentChildren } from "preact";

/** Shows a message in place of an empty list, such as the reason and a first step to take. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
	return (
		<div class="empty">
			<p class="empty-title">{title}</p>
			{children}
		</div>
	);
}
