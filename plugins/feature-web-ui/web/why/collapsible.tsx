import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

interface FoldedProps {
	/** Content next to the button that expands the section. */
	readonly head: ComponentChildren;
	/** Description of the section for screen readers. */
	readonly label: string;
	readonly isOpen: boolean;
	readonly children: () => ComponentChildren;
}

/** Shows a section that can be expanded and collapsed. While it is collapsed, its content is neither rendered nor read from the service. */
export function Collapsible({ head, label, isOpen: isOpenAtFirst, children }: FoldedProps) {
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
