import type { ComponentChildren } from "preact";
import { toDuration } from "../kit/clock.ts";
import { toLocal } from "../parts/time.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/start.ts";
import type { Bucket } from "./execution-buckets.ts";

/** Width and height of a plot in SVG units. It is stretched to the available width. */
const width = 480;
const height = 88;

interface PlotProps {
	readonly buckets: readonly Bucket[];
}

/** Shows the number of runs that started in each interval, by outcome. */
export function RatePlot({ buckets }: PlotProps) {
	const most = Math.max(1, ...buckets.map(({ good, bad, other }) => good + bad + other));
	const total = sum(buckets, ({ good, bad, other }) => good + bad + other);
	const failed = sum(buckets, ({ bad }) => bad);
	const text = texts.outcomes({ total, failed, most });
	return (
		<Plot title={common.executions} text={text} most={String(most)} buckets={buckets}>
			{(bucket, x, size) => {
				let top = height;
				const part = (name: string, count: number) => {
					const tall = (count / most) * height;
					top -= tall;
					return count > 0 && <rect key={name} class={name} x={x} y={top} width={size} height={tall} />;
				};
				return (
					<>
						<title>{texts.barOutcomes(toTime(bucket), bucket)}</title>
						{part("good", bucket.good)}
						{part("bad", bucket.bad)}
						{part("other", bucket.other)}
					</>
				);
			}}
		</Plot>
	);
}

/** Shows the median and the 95th percentile of the durations of finished runs. */
export function DurationPlot({ buckets }: PlotProps) {
	const most = Math.max(0.001, ...buckets.map(({ slow = 0 }) => slow));
	const text = texts.durationsText(toDuration(most));
	return (
		<Plot title={texts.durations} text={text} most={toDuration(most)} buckets={buckets}>
			{(bucket, x, size) => {
				if (bucket.median === undefined || bucket.slow === undefined) return null;
				const [half, nearly] = [(bucket.median / most) * height, (bucket.slow / most) * height];
				return (
					<>
						<title>{texts.barDurations(toTime(bucket), toDuration(bucket.median), toDuration(bucket.slow))}</title>
						<rect class="slow" x={x} y={height - Math.max(1.5, nearly)} width={size} height={Math.max(1.5, nearly)} />
						<rect class="busy" x={x} y={height - Math.max(1.5, half)} width={size} height={Math.max(1.5, half)} />
					</>
				);
			}}
		</Plot>
	);
}

interface FrameProps extends PlotProps {
	readonly title: string;
	/** Text alternative of the plot. */
	readonly text: string;
	/** Label of the value at the top of the plot. */
	readonly most: string;
	children(bucket: Bucket, x: number, size: number): ComponentChildren;
}

function Plot({ title, text, most, buckets, children }: FrameProps) {
	const step = width / Math.max(1, buckets.length);
	return (
		<figure class="card plot">
			<figcaption>
				<h2>{title}</h2>
				<span class="faint">{text}</span>
			</figcaption>
			<div class="plot-box">
				<span class="plot-most faint number" aria-hidden="true">
					{most}
				</span>
				<svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={texts.plotLabel(title, text)}>
					{buckets.map((bucket, index) => (
						<g key={bucket.from}>{children(bucket, index * step + step * 0.1, step * 0.8)}</g>
					))}
				</svg>
			</div>
			<div class="plot-ends faint" aria-hidden="true">
				<span>{buckets[0] !== undefined && toTime(buckets[0])}</span>
				<span>{texts.now}</span>
			</div>
		</figure>
	);
}

function toTime({ from }: Bucket): string {
	return toLocal(new Date(from).toISOString()).slice(0, 16);
}

function sum(buckets: readonly Bucket[], count: (bucket: Bucket) => number): number {
	return buckets.reduce((total, bucket) => total + count(bucket), 0);
}
