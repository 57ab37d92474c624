import { setTimeout as delay } from "node:timers/promises";
import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import type { Client, ExecutionInput } from "../../plugins/_shipped/client.ts";
import type { Access, ChaosNode } from "./chaos-node.ts";
import type { Kind, Oracle } from "./oracle.ts";

const kinds: readonly Kind[] = ["noop", "echo", "nap", "nap", "delayed", "event"];
const webhook = "chaos";
/** A node that stands still does not answer; nothing it has not answered counts as acknowledged. */
const patience = 3_000;

export interface Load {
	readonly nodes: readonly ChaosNode[];
	readonly oracle: Oracle;
	readonly random: Random;
	/** Requests at once. */
	readonly inFlight: number;
	readonly signal: AbortSignal;
}

/** The rule that acts on the events of the load. */
export async function createRule({ rules }: Client): Promise<void> {
	await rules.create({
		name: webhook,
		pack: "default",
		enabled: true,
		trigger: { type: "core.svc.webhook", parameters: { url: webhook } },
		action: { ref: "core.noop", parameters: {} },
	});
}

/** Ask each node that answers for an execution, at a time when nobody finds it because of others: no place becomes free, and nothing falls due. */
export async function askInTheQuiet({ nodes, oracle, random }: Omit<Load, "inFlight" | "signal">): Promise<void> {
	for (const access of nodes.flatMap((node) => node.access() ?? [])) await tryToAsk(access, "echo", oracle, random);
}

/** Ask whatever node answers for executions and send events, until the signal aborts. */
export async function keepAsking(load: Load): Promise<void> {
	await Promise.all(Array.from({ length: load.inFlight }, () => work(load)));
}

async function work({ nodes, oracle, random, signal }: Load): Promise<void> {
	while (!signal.aborted) {
		const access = pick(random, nodes).access();
		if (access !== undefined) await tryToAsk(access, pick(random, kinds), oracle, random);
		await delay(50 + random(100));
	}
}

async function tryToAsk(access: Access, kind: Kind, oracle: Oracle, random: Random): Promise<void> {
	try {
		await ask(access, kind, oracle, random);
	} catch {
		oracle.refused += 1;
	}
}

async function ask(access: Access, kind: Kind, oracle: Oracle, random: Random): Promise<void> {
	const signal = AbortSignal.timeout(patience);
	if (kind === "event") {
		oracle.acknowledgeEvent(await send(access, signal));
		return;
	}
	const { id } = await access.client.executions.create(toInput(kind, oracle.startsFile, random), { signal });
	oracle.acknowledge(id, kind);
}

function toInput(kind: Kind, startsFile: string, random: Random): ExecutionInput {
	if (kind === "noop") return { action: "core.noop" };
	const nap = kind === "nap" ? `sleep ${(random(20) / 10).toFixed(1)}; ` : "";
	const cmd = `echo "$SVC_ACTION_EXECUTION_ID" >> '${startsFile}'; ${nap}echo "$SVC_ACTION_EXECUTION_ID"`;
	return { action: "core.local", parameters: { cmd }, ...(kind === "delayed" && { delay: 100 + random(900) }) };
}

/** Id of the trigger instance. */
async function send({ api, token }: Access, signal: AbortSignal): Promise<string> {
	const headers = { "x-auth-token": token, "content-type": "application/json" };
	const response = await fetch(`${api}/v1/webhooks/${webhook}`, { method: "POST", headers, body: '{"sent":true}', signal });
	const id = response.headers.get("svc-trigger-instance-id");
	await response.arrayBuffer();
	if (response.status !== 202 || id === null) throw new Error(`a webhook was answered with ${response.status}`);
	return id;
}
