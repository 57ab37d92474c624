import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface RowWindowProps {
	/** Description of the rows for screen readers. */
	readonly label: string;
	readonly count: number;
	/** Height of a row in pixels; must match the stylesheet. */
	readonly rowHeight: number;
	/** Renders a row by its index, which starts at 0. */
	readonly row: (index: number) => ComponentChildren;
}

/** Rows that are rendered above and below the visible ones. */
const spare = 6;

/** Shows a list in a scrollable box. Only the visible rows and a few more are rendered. */
export function RowWindow({ label, count, rowHeight, row }: RowWindowProps) {
	const box = useRef<HTMLDivElement>(null);
	const view = useSignal({ top: 0, height: 600 });
	const update = () => {
		const { current } = box;
		if (current !== null) view.value = { top: current.scrollTop, height: current.clientHeight };
	};
	useEffect(() => {
		const resized = new ResizeObserver(update);
		if (box.current !== null) resized.observe(box.current);
		return () => resized.disconnect();
	}, []);
	const { top, height } = view.value;
	const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight)) - spare);
	const last = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it.
		<section ref={box} class="row-window" aria-label={label} tabIndex={0} onScroll={update}>
			<ul style={{ height: `${(count - first) * rowHeight}px`, "margin-top": `${first * rowHeight}px` }}>
				{Array.from({ length: Math.max(0, last - first) }, (_, index) => (
					<li key={first + index} aria-setsize={count} aria-posinset={first + index + 1}>
						{row(first + index)}
					</li>
				))}
			</ul>
		</section>
	);
}
