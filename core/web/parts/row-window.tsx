import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface RowWindowProps {
	/** What the rows are, for a screen reader. */
	readonly label: string;
	readonly count: number;
	/** Height of a row in pixels, as its style has it. */
	readonly rowHeight: number;
	/** A row, by its number from 0. */
	readonly row: (index: number) => ComponentChildren;
}

/** Rows that are drawn above and below what is seen. */
const spare = 6;

/** A list in a box of its own of which only the rows that are seen are drawn, and a few more. */
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
