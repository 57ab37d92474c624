import { setTimeout as pause } from "node:timers/promises";
import type { Service } from "./service.ts";
import { quantile } from "./statistics.ts";

/** Make rules on one webhook, all of which start `core.noop`. */
export async function addRules(
	service: Service,
	rules: readonly { readonly name: string; readonly url: string; readonly criteria: object }[],
) {
	for (const { name, url, criteria } of rules) {
		const trigger = { type: "core.svc.webhook", parameters: { url } };
		const rule = { pack: "default", name, enabled: true, trigger, criteria, action: { ref: "core.noop", parameters: {} } };
		await service.api.post("/v1/rules", JSON.stringify(rule));
	}
}

export interface Deliveries {
	readonly url: string;
	/** Body of the delivery with this number, from 0. */
	toBody(number: number): string;
}

/** Post deliveries, `inFlight` at a time; how many were accepted. */
export async function postDeliveries(
	{ api }: Service,
	{ url, toBody }: Deliveries,
	{ inFlight, seconds }: { readonly inFlight: number; readonly seconds: number },
): Promise<number> {
	const until = performance.now() + seconds * 1000;
	let sent = 0;
	const worker = async () => {
		while (performance.now() < until) await api.post(`/v1/webhooks/${url}`, toBody(sent++));
	};
	await Promise.all(Array.from({ length: inFlight }, worker));
	return sent;
}

const tick = 5;

/** Post deliveries at a rate that does not depend on the answers; how many were accepted. */
export async function paceDeliveries(
	{ api }: Service,
	{ url, toBody }: Deliveries,
	{ perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<number> {
	const answers: Promise<unknown>[] = [];
	const started = performance.now();
	for (let passed = 0; passed < seconds; passed = (performance.now() - started) / 1000) {
		while (answers.length < passed * perSecond) answers.push(api.post(`/v1/webhooks/${url}`, toBody(answers.length)));
		await pause(tick);
	}
	await Promise.all(answers);
	return answers.length;
}

const underWay = [
	"triggerinstances?status=pending",
	"triggerinstances?status=processing",
	"executions?status=requested",
	"executions?status=scheduled",
	"executions?status=running",
];

/** Resolves when no event waits and no execution is under way; the milliseconds that took. */
export async function settle(service: Service): Promise<number> {
	const started = performance.now();
	for (const list of underWay) {
		while ((await count(service, list)) > 0) await pause(10);
	}
	return performance.now() - started;
}

async function count({ api }: Service, list: string): Promise<number> {
	const response = await api.open(`/v1/${list}&limit=1`);
	response.resume();
	return Number(response.headers["x-total-count"]);
}

interface Enforced {
	readonly status: string;
	readonly enforced_at: string;
	readonly trigger_instance: { readonly occurrence_time: string };
}

/** Milliseconds from the acceptance of events to each enforcement since a moment. */
export async function readLags({ api }: Service, since: string): Promise<number[]> {
	const pageSize = 500;
	const lags: number[] = [];
	for (let offset = 0; ; offset += pageSize) {
		const page = await readPage(api, `/v1/ruleenforcements/views?enforced_at_gt=${since}&sort=id&limit=${pageSize}&offset=${offset}`);
		for (const { status, enforced_at, trigger_instance } of page) {
			if (status !== "succeeded") throw new Error(`a rule could not act: ${JSON.stringify(page[0])}`);
			lags.push(toMilliseconds(enforced_at) - toMilliseconds(trigger_instance.occurrence_time));
		}
		if (page.length < pageSize) return lags;
	}
}

async function readPage(api: Service["api"], path: string): Promise<readonly Enforced[]> {
	let text = "";
	for await (const piece of (await api.open(path)).setEncoding("utf8")) text += piece;
	return JSON.parse(text) as readonly Enforced[];
}

/** Dates of the language end at milliseconds, times of the service at microseconds. */
function toMilliseconds(time: string): number {
	const [, micro = ""] = /\.\d{3}(\d{3})Z$/.exec(time) ?? [];
	return Date.parse(time) + Number(micro) / 1000;
}

export function describeLags(lags: readonly number[]): string {
	return `lag p50 ${quantile(lags, 0.5).toFixed(1)}, p99 ${quantile(lags, 0.99).toFixed(1)}, longest ${quantile(lags, 1).toFixed(1)} ms`;
}
