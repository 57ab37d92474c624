import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { addressBar, toHref } from "../kit/router.ts";
import * as texts from "../texts/log.ts";
import { countParts, type LineLook, LogLine } from "./log-line.tsx";
import type { LogSource } from "./log-source.ts";

/** Height of a line in pixels; must match the stylesheet. */
const rowHeight = 18;
/** Maximum height of an element in pixels: browsers do not render taller ones. For longer outputs, scrolling uses larger steps. */
const tallest = 30_000_000;
/** Lines that are rendered above and below the visible ones. */
const spare = 8;
/** Maximum number of elements for colours and links in all rendered lines together. */
const maxParts = 150;

interface LogWindowProps {
	readonly source: LogSource;
	/** Number of the line that the address selects; 0 if there is none. */
	readonly line: number;
	readonly look: LineLook;
	readonly isWrapped: boolean;
	readonly isFollowed: boolean;
	readonly onFollow: (isFollowed: boolean) => void;
}

/** Scroll position in the output. */
interface View {
	/** Line at the upper edge, from 0, with a fraction. */
	readonly top: number;
	/** Position of the scroll bar in pixels. */
	readonly offset: number;
	/** Height of the visible area in pixels. */
	readonly height: number;
}

/** Shows the output in a scrollable box. Only the visible lines and a few more are rendered, however long the output is. */
export function LogWindow({ source, line, look, isWrapped, isFollowed, onFollow }: LogWindowProps) {
	const box = useRef<HTMLElement>(null);
	const view = useSignal<View>({ top: 0, offset: 0, height: 600 });
	const total = source.total.value ?? 0;
	const { top, offset, height } = view.value;
	const whole = Math.min(tallest, total * rowHeight + (isWrapped ? height : 0));
	const rows = Math.ceil(height / rowHeight);
	const first = isFollowed ? Math.max(0, total - rows - spare) : Math.max(0, Math.floor(top) - (isWrapped ? 0 : spare));
	const last = Math.min(total, isFollowed ? total : Math.floor(top) + rows + spare);
	useEffect(() => source.want(first + 1, last));
	const update = () => box.current !== null && !isFollowed && (view.value = toView(box.current, { total, whole }));
	useLayoutEffect(() => {
		const { current } = box;
		if (current !== null && isFollowed) current.scrollTop = current.scrollHeight;
	});
	useEffect(() => {
		if (box.current !== null && line > 0 && total > 0) {
			box.current.scrollTop = toOffset(line - 1 - rows / 3, { total, whole, height });
			view.value = toView(box.current, { total, whole });
		}
	}, [line, total > 0]);
	useEffect(() => {
		const resized = new ResizeObserver(update);
		if (box.current !== null) resized.observe(box.current);
		return () => resized.disconnect();
	});
	const style = isFollowed ? { bottom: "0" } : { transform: `translateY(${offset - (top - first) * rowHeight}px)` };
	return (
		<section
			ref={box}
			class={`log ${isWrapped ? "wrapped" : ""}`}
			aria-label={texts.log}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it.
			tabIndex={0}
			onScroll={() => {
				const { current } = box;
				if (current === null) return;
				if (isFollowed && current.scrollTop + current.clientHeight < current.scrollHeight - rowHeight) onFollow(false);
				update();
			}}
		>
			<div class="log-whole" style={{ height: `${whole}px` }}>
				<div class="log-lines" style={style}>
					<Lines source={source} first={first} last={last} line={line} look={look} />
				</div>
			</div>
		</section>
	);
}

interface LinesProps extends Pick<LogWindowProps, "source" | "line" | "look"> {
	/** Number of lines before the first rendered one. `last` is the number of the last rendered line. */
	readonly first: number;
	readonly last: number;
}

function Lines({ source, first, last, line, look }: LinesProps) {
	// Reading the signal makes the component render again when lines arrive.
	void source.version.value;
	const { path, query } = addressBar.current.value;
	const given = Object.fromEntries(query);
	let left = maxParts;
	return (
		<>
			{Array.from({ length: Math.max(0, last - first) }, (_, index) => {
				const number = first + index + 1;
				const known = source.line(number);
				const mayUse = left;
				left -= Math.min(left, countParts(known));
				const href = toHref(path, { ...given, line: number });
				return <LogLine key={number} number={number} line={known} href={href} isMarked={number === line} look={look} mostParts={mayUse} />;
			})}
		</>
	);
}

interface Extent {
	readonly total: number;
	readonly whole: number;
}

function toView({ scrollTop: offset, clientHeight: height }: Element, { total, whole }: Extent): View {
	if (whole < tallest) return { top: offset / rowHeight, offset, height };
	const share = Math.min(1, offset / Math.max(1, whole - height));
	return { top: share * Math.max(0, total - height / rowHeight), offset, height };
}

function toOffset(top: number, { total, whole, height }: Extent & { readonly height: number }): number {
	if (whole < tallest) return Math.max(0, top * rowHeight);
	return Math.max(0, (top / Math.max(1, total - height / rowHeight)) * (whole - height));
}
