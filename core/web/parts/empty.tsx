import type { ComponentChildren } from "preact";

/** Shows that a list is empty, the meaning of that, and the first step to take. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
	return (
		<div class="empty">
			<p class="empty-title">{title}</p>
			{children}
		</div>
	);
}
