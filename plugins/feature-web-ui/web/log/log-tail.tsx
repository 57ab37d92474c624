import { useEffect } from "preact/hooks";
import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { toExecutionHref } from "../executions/execution-address.ts";
import { isEnded } from "../parts/status-badge.tsx";
import * as common from "../texts/common.ts";
import * as texts from "../texts/log.ts";
import { LogLine } from "./log-line.tsx";
import type { LogSource } from "./log-source.ts";
import { useLogSource } from "./use-log-source.ts";

const tailLines = 12;

/** Shows the last lines of the output of an execution, and follows it while the execution runs. */
export function LogTail({ run, title }: { readonly run: ExecutionRecord; readonly title: string }) {
	const source = useLogSource(run.id, undefined, isEnded(run.status));
	const { value: total } = source.total;
	return (
		<section class="card">
			<div class="tail-head">
				<h2>{title}</h2>
				<a href={toExecutionHref(run.id, "log")}>{texts.fullLog}</a>
			</div>
			{source.problem.value !== "" && <p class="log-problem">{common.tryingAgain(source.problem.value)}</p>}
			{total === undefined && source.problem.value === "" && <p class="loading">{common.loading}</p>}
			{total === 0 && <p class="faint">{texts.nothingPrinted}</p>}
			{total !== undefined && total > 0 && <LastLines id={run.id} source={source} total={total} />}
		</section>
	);
}

function LastLines({ id, source, total }: { readonly id: string; readonly source: LogSource; readonly total: number }) {
	// Reading the signal makes the component render again when lines arrive.
	void source.version.value;
	const first = Math.max(0, total - tailLines);
	useEffect(() => source.want(first + 1, total));
	return (
		<div class="log-static">
			{Array.from({ length: total - first }, (_, index) => {
				const number = first + index + 1;
				return (
					<LogLine
						key={number}
						number={number}
						line={source.line(number)}
						href={`${toExecutionHref(id, "log")}?line=${number}`}
						isMarked={false}
						look={{ showsTime: false, find: "" }}
						mostParts={20}
					/>
				);
			})}
		</div>
	);
}
