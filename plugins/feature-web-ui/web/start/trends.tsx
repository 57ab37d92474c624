import type { ExecutionRecord, ListPage } from "../../../_shipped/client.ts";
import { now } from "../kit/clock.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import * as texts from "../texts/start.ts";
import { isRange, type RangeName, ranges, toBuckets } from "./execution-buckets.ts";
import { DurationPlot, RatePlot } from "./plots.tsx";

const pageSize = 100;
const maxPages = 5;
const bars = 32;
/** Shows how many runs there were recently and how long they took. The data is read again every minute. */
export function Trends() {
	const given = addressBar.query("range");
	const range = isRange(given) ? given : "24h";
	const minute = Math.floor(now.value / 60_000);
	const runs = useResource((signal) => readRuns(range, signal), [range, minute]);
	return (
		<section aria-label={texts.recent}>
			<nav class="views start-ranges" aria-label={texts.range}>
				{(Object.keys(ranges) as RangeName[]).map((name) => (
					<a key={name} href={toHref("/", { range: name === "24h" ? undefined : name })} aria-current={name === range ? "true" : undefined}>
						{texts.ranges[name]}
					</a>
				))}
			</nav>
			<Loaded resource={runs}>
				{({ items, total, to }) => {
					const isAll = items.length >= (total ?? 0);
					const oldest = items.at(-1);
					const from = isAll || oldest === undefined ? to - ranges[range] : Date.parse(oldest.start_timestamp);
					const buckets = toBuckets(items, { from, to, count: bars });
					return (
						<>
							<div class="run-columns">
								<RatePlot buckets={buckets} />
								<DurationPlot buckets={buckets} />
							</div>
							{!isAll && <p class="faint">{texts.onlyNewest(items.length)}</p>}
						</>
					);
				}}
			</Loaded>
		</section>
	);
}

/** Reads the newest runs of a time range, at most 500. Child executions are left out. */
async function readRuns(range: RangeName, signal: AbortSignal) {
	const to = Date.now();
	const limit = session.toLimit(pageSize);
	const query = {
		parent: "null",
		timestamp_gt: new Date(to - ranges[range]).toISOString(),
		sort_desc: "timestamp",
		include_attributes: "id,status,start_timestamp,end_timestamp",
		limit,
	};
	const items: ExecutionRecord[] = [];
	let total: number | undefined;
	for (let page = 0; page < maxPages; page += 1) {
		const read: ListPage<ExecutionRecord> = await client.executions.list({ ...query, offset: page * limit }, { signal });
		items.push(...read.items);
		total = read.total;
		if (read.items.length < limit) break;
	}
	return { items, total, to };
}
