import type { ComponentChildren } from "preact";

/** Shows that a list is empty, what that means, and what to do first. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
	return (
		<div class="empty">
			<p class="empty-title">{title}</p>
			{children}
		</div>
	);
}
