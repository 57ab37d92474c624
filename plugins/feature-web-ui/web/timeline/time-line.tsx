import { escapeControlCharacters } from "../../../_shipped/client.ts";
import { now, toDuration } from "../kit/clock.ts";
import { RowWindow } from "../parts/row-window.tsx";
import { isEnded, StatusBadge, toTone } from "../parts/status-badge.tsx";
import { toLocal } from "../parts/time.tsx";
import * as texts from "../texts/timeline.ts";
import { type Span, type TimedExecution, toFrame, toSpan } from "./timed-execution.ts";

/** Height of a row in pixels; must match the stylesheet. */
const rowHeight = 26;
const ticks = 4;

interface TimeLineProps {
	readonly label: string;
	/** Executions in the order of their rows. */
	readonly runs: readonly TimedExecution[];
	readonly toName: (run: TimedExecution) => string;
	readonly toHref: (run: TimedExecution) => string;
}

/** Shows when each execution waited and ran, with one row for each execution. */
export function TimeLine({ label, runs, toName, toHref }: TimeLineProps) {
	// Read the clock only if an execution is active: reading it renders the component again every second.
	const time = runs.some(({ status }) => !isEnded(status)) ? now.value : 0;
	const spans = runs.map((run) => toSpan(run, time));
	const { from, to } = toFrame(spans);
	const whole = Math.max(1, to - from);
	const percent = (value: number) => `${((value / whole) * 100).toFixed(3)}%`;
	return (
		<div class="time-line">
			<div class="time-axis faint number" aria-hidden="true">
				{Array.from({ length: ticks + 1 }, (_, index) => (
					<span key={index}>
						{index === 0 ? toLocal(new Date(from).toISOString()).slice(11, 19) : `+${toDuration((whole * index) / ticks / 1_000)}`}
					</span>
				))}
			</div>
			<RowWindow
				label={label}
				count={runs.length}
				rowHeight={rowHeight}
				row={(index) => {
					const [run, span] = [runs[index], spans[index]];
					if (run === undefined || span === undefined) return null;
					const start = { left: percent(span.from - from), width: percent(span.began - span.from) };
					const rest = { left: percent(span.began - from), width: percent(span.to - span.began) };
					return (
						<>
							<a href={toHref(run)}>{escapeControlCharacters(toName(run))}</a>
							<StatusBadge status={run.status} />
							<div class="time-track">
								<i class="waited" style={start} />
								{span.to > span.began && <i class={`ran ${toTone(run.status)}`} style={rest} />}
							</div>
							<span class="number">{toWords(span)}</span>
						</>
					);
				}}
			/>
			<p class="faint">{texts.legend}</p>
		</div>
	);
}

function toWords({ from, began, to }: Span): string {
	const ran = toDuration((to - began) / 1_000);
	return began - from < 100 ? ran : `${toDuration((began - from) / 1_000)} + ${ran}`;
}
