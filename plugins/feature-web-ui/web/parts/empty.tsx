import type { ComponentChildren } from "preact";
import { TextWithCode } from "./text-with-code.tsx";

interface EmptyProps {
	readonly title: string;
	/** What the user can do next. Parts in backticks are code. */
	readonly step?: string;
	readonly children?: ComponentChildren;
}

/** Shows a message in place of an empty list, and a next step to take. */
export function Empty({ title, step, children }: EmptyProps) {
	return (
		<div class="empty">
			<p class="empty-title">{title}</p>
			{step !== undefined && (
				<p>
					<TextWithCode text={step} />
				</p>
			)}
			{children}
		</div>
	);
}
