import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Benchmark } from "./harness/benchmark.ts";
import { startChild } from "./harness/child.ts";
import { command, describeRate, echo, inFlight } from "./harness/echo.ts";
import { runLoad } from "./harness/execution-load.ts";
import type { LoadFigures } from "./harness/load-figures.ts";
import { type Service, startService } from "./harness/service.ts";

const onWorker = JSON.stringify({ action: "core.local", parameters: { cmd: command, svc_worker_labels: ["bench"] } });

export const benchmark: Benchmark = {
	id: "P24",
	title: `core.local "echo hi" on a worker of this machine, POST to succeeded, ${inFlight} in flight ÷ the same on the node`,
	goals: [
		{ name: "ratio", label: "executions/s on the worker ÷ on the node", direction: "at least", limits: [0.65] },
		{ name: "time", label: "processor time of the service for one ÷ on the node", direction: "at most", limits: [1] },
	],
	async run(round) {
		const service = await round.use("service", () => startService({ workers: true }));
		await round.use("worker", () => startWorker(service));
		const seconds = round.quick ? 1 : 4;
		const [far, near] = await round.alternate(
			() => runLoad(service, { body: onWorker, inFlight, seconds }),
			() => runLoad(service, { body: echo, inFlight, seconds }),
		);
		const timeOf = ({ processorTime }: LoadFigures) => processorTime.server + processorTime.launcher;
		return {
			values: { ratio: far.perSecond / near.perSecond, time: timeOf(far) / timeOf(near) },
			detail: `${describeRate(far)} ÷ ${describeRate(near)}`,
		};
	},
};

/** The built `svc worker`, with a key that may take work and nothing else. */
async function startWorker({ api, apiAddress }: Service) {
	const { key } = JSON.parse(await api.post("/v1/apikeys", JSON.stringify({ scopes: ["worker:bench"] }))) as { readonly key: string };
	const directory = await mkdtemp(join(tmpdir(), "svc-bench-worker-"));
	const child = await startChild("worker.mjs", {
		input: ["worker", "--labels", "bench", "--runners", "local-shell-cmd", "--places", String(inFlight), "--data-dir", directory],
		env: { SVC_API_URL: apiAddress, SVC_API_KEY: key, SVC_CLI_SKIP_CONFIG: "1", SVC_LOG_LEVEL: "error" },
	});
	return {
		async stop() {
			await child.stop();
			await rm(directory, { recursive: true, force: true });
		},
	};
}
