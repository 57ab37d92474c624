import { setTimeout as delay } from "node:timers/promises";
import type { ExecutionInput, ExecutionRecord } from "../../../plugins/_shipped/client.ts";
import { openEvents } from "../../client/api-client.ts";
import { isSvcError } from "../../contract/index.ts";
import { lastingPack } from "./lasting-pack.test-support.ts";
import { isEndless, type Kind, type Ledger } from "./ledger.test-support.ts";
import { pick, type Random } from "./random.test-support.ts";
import type { ServiceProcess } from "./service-process.test-support.ts";

/** Executions of kind `lines` write the numbers up to these. */
export const lastNumbers = { stdout: 3_000, stderr: 50 } as const;

const inFlight = 50;
/** Mostly what ends soon; the rest is there to be found running. */
const kinds: readonly Kind[] = ["echo", "echo", "noop", "short", "short", "nap", "nap", "lines", "long", "tree", "delayed", "lasting"];

export interface Workload {
	readonly service: ServiceProcess;
	readonly ledger: Ledger;
	readonly random: Random;
}

/** Keeps 50 executions of all kinds in flight until the service is gone. Rejects for whatever else goes wrong. */
export async function keepBusy(workload: Workload): Promise<void> {
	let watching: Promise<void> = Promise.resolve();
	await new Promise<void>((resolve) => {
		watching = watchEnds(workload, resolve);
		watching.then(resolve, () => resolve());
	});
	const gone = watching.catch(() => undefined);
	const workers = Array.from({ length: inFlight }, () => work(workload, gone));
	for (const end of await Promise.allSettled([watching, ...workers])) {
		if (end.status === "rejected" && !isGone(end.reason)) throw end.reason;
	}
}

/** Whether an error means that nobody answers, rather than that the service has answered with an error. */
function isGone(error: unknown): boolean {
	return isSvcError(error, "SVC_UNAVAILABLE") && error.facts["status"] === undefined;
}

async function watchEnds({ service, ledger }: Workload, onOpen: () => void): Promise<void> {
	const { streamUrl } = service.client.addresses;
	const options = { query: { events: "svc.execution__update" }, headers: { "x-auth-token": service.token } };
	for await (const { data } of openEvents(`${streamUrl}/stream`, options, onOpen)) ledger.see(JSON.parse(data) as ExecutionRecord);
}

async function work({ service, ledger, random }: Workload, gone: Promise<void>): Promise<void> {
	let over = false;
	void gone.then(() => {
		over = true;
	});
	while (!over) {
		const kind = pick(random, kinds);
		const { id } = await service.client.executions.create(toInput(kind, ledger.startsFile, random));
		ledger.acknowledge(id, kind);
		if (isEndless(kind) && random(3) === 0) {
			await delay(random(100));
			await service.client.executions.cancel(id);
		}
		await Promise.race([ledger.ended(id), gone]);
	}
}

function toInput(kind: Kind, startsFile: string, random: Random): ExecutionInput {
	if (kind === "noop") return { action: "core.noop" };
	if (kind === "echo") return { action: "core.echo", parameters: { message: "said" } };
	if (kind === "lasting") return { action: lastingPack.action, parameters: { starts: startsFile } };
	const commands = {
		short: "echo done",
		delayed: "echo done",
		nap: `sleep 0.${random(3)}`,
		lines: `seq 1 ${lastNumbers.stdout}; seq 1 ${lastNumbers.stderr} >&2`,
		long: "exec sleep 300",
		tree: "sleep 300 & (sleep 300 & sleep 300) & wait",
	};
	const cmd = `echo "$SVC_ACTION_EXECUTION_ID" >> '${startsFile}'; ${commands[kind]}`;
	return { action: "core.local", parameters: { cmd }, ...(kind === "delayed" && { delay: 1 + random(500) }) };
}
