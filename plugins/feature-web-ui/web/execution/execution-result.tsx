import type { ExecutionRecord } from "../../../_shipped/client.ts";
import { toApiHref } from "../kit/service.ts";
import { JsonTree } from "../parts/json-tree.tsx";
import * as texts from "../texts/execution.ts";

/** Maximum size in bytes of a result that is loaded with the execution. Larger results can be downloaded. */
export const maxResultSize = 500_000;

/** Shows the result of an execution. */
export function ExecutionResult({ run }: { readonly run: ExecutionRecord }) {
	if (run.result !== undefined) return <JsonTree value={run.result} />;
	if (run.result_size === undefined || run.result_size === 0) return <p class="faint">{texts.noResult}</p>;
	return (
		<p>
			<a href={toApiHref(`/executions/${run.id}/result?download=true`)}>{texts.downloadBytes(run.result_size)}</a>
		</p>
	);
}
