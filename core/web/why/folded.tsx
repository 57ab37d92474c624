import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface FoldedProps {
	/** What is said of it, beside the button that opens it. */
	readonly head: ComponentChildren;
	/** For a screen reader: what is opened. */
	readonly label: string;
	readonly isOpen: boolean;
	readonly children: () => ComponentChildren;
}

/** A part that opens and closes; what is closed is neither drawn nor read. */
export function Folded({ head, label, isOpen: isOpenAtFirst, children }: FoldedProps) {
	const isOpen = useSignal(isOpenAtFirst);
	return (
		<>
			<div class="why-head">
				<button
					type="button"
					class="why-toggle"
					aria-expanded={isOpen.value}
					aria-label={label}
					onClick={() => (isOpen.value = !isOpen.value)}
				>
					<span class="arrow" aria-hidden="true" />
				</button>
				{head}
			</div>
			{isOpen.value && <div class="why-below">{children()}</div>}
		</>
	);
}
