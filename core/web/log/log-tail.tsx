import { useEffect } from "preact/hooks";
import type { ExecutionRecord } from "../../features/clients.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { Loaded } from "../parts/loaded.tsx";
import { isEnded } from "../parts/status-badge.tsx";
import { toRunHref } from "../runs/run-address.ts";
import { LogLine } from "./log-line.tsx";

const tailLines = 12;
const every = 1_500;

/** The last that an execution has printed; while it runs, what it prints. */
export function LogTail({ run, title }: { readonly run: ExecutionRecord; readonly title: string }) {
	const hasEnded = isEnded(run.status);
	const tail = useResource((signal) => readTail(run.id, signal), [run.id, hasEnded]);
	useEffect(() => {
		if (hasEnded) return;
		const timer = setInterval(() => void tail.reload(), every);
		return () => clearInterval(timer);
	}, [tail, hasEnded]);
	return (
		<section class="card">
			<div class="tail-head">
				<h2>{title}</h2>
				<a href={toRunHref(run.id, "log")}>Whole log</a>
			</div>
			<Loaded resource={tail}>
				{(lines) =>
					lines.length === 0 ? (
						<p class="faint">nothing printed</p>
					) : (
						<div class="log-static">
							{lines.map((line) => (
								<LogLine
									key={line.line}
									number={line.line}
									line={line}
									href={`${toRunHref(run.id, "log")}?line=${line.line}`}
									isMarked={false}
									look={{ showsTime: false, find: "" }}
									mostParts={20}
								/>
							))}
						</div>
					)
				}
			</Loaded>
		</section>
	);
}

async function readTail(id: string, signal: AbortSignal) {
	const { total, lines } = await client.executions.outputLines(id, { lines: tailLines, signal });
	if (total <= tailLines) return lines;
	return (await client.executions.outputLines(id, { fromLine: total - tailLines + 1, lines: tailLines, signal })).lines;
}
