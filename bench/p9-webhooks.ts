import { setTimeout as pause } from "node:timers/promises";
import type { Benchmark, Round } from "./harness/benchmark.ts";
import { inFlight } from "./harness/echo.ts";
import { type InsertPeer, startDeliveriesPeer, startExecutionsPeer, startInsertPeer } from "./harness/insert-peer.ts";
import { describeTime, measureService } from "./harness/process-figures.ts";
import { type Service, type ServiceOptions, startService } from "./harness/service.ts";
import { quantile } from "./harness/statistics.ts";
import { addRules, type Deliveries, describeLags, paceDeliveries, postDeliveries, readLags, settle } from "./harness/webhook-load.ts";

const ruleCount = 100;
const url = "bench/hook";
/** What each delivery leads to in the second form. */
const acts = { executions: 5, ruleCount };
/** Milliseconds by which the service's clock may differ from this process's: nothing may be enforced so shortly before the first delivery. */
const clockDifference = 100;

/** What the goal leaves open: that one delivery in twenty matches a rule, or that each matches one rule in twenty. */
export const few: Deliveries = {
	url,
	toBody: (number) => toBody(number % 20 === 0 ? `deploy-${(number / 20) % ruleCount}` : `other-${number % 100}`),
};
export const five: Deliveries = { url, toBody: (number) => toBody(`release-${number % 20}`) };

export const benchmark: Benchmark = {
	id: "P9",
	title: `webhooks accepted with ${ruleCount} rules on them, ${inFlight} in flight ÷ JSON POSTs of a bare h3 app that inserts one row each, durably`,
	goals: [
		{ name: "few", label: "one delivery in 20 matches a rule: accepted/s ÷ inserting POSTs/s", direction: "at least", limits: [0.8] },
		{ name: "fewLag", label: "the same at half the rate: acceptance to enforcement, p99", unit: "ms", direction: "at most", limits: [10] },
		{ name: "five", label: "each delivery matches 5 rules: accepted/s ÷ inserting POSTs/s", direction: "at least", limits: [0.4] },
		{
			name: "fiveLag",
			label: "the same at half the rate: acceptance to enforcement, p99",
			unit: "ms",
			direction: "at most",
			limits: [10],
		},
		{
			name: "least",
			label: "the least with 5 executions each ÷ inserting POSTs/s, which no service can exceed",
			direction: "at least",
			limits: [],
		},
		{
			name: "stored",
			label: "the service's storage alone with 5 executions each ÷ inserting POSTs/s, which no service with its lists can exceed",
			direction: "at least",
			limits: [],
		},
		{ name: "unlisted", label: "the same without the indexes by rule", direction: "at least", limits: [] },
		{ name: "ofLeast", label: "5 rules: accepted/s ÷ those of the least", direction: "at least", limits: [] },
	],
	async run(round) {
		const service = await round.use("service", () => startRuled());
		const peer = await round.use("peer", startInsertPeer);
		const one = await measure(round, { service, peer, deliveries: few, matches: 1 / 20 });
		const other = await measure(round, { service, peer, deliveries: five, matches: 5 });
		const leastPeer = await round.use("least", () => startExecutionsPeer(acts.executions));
		const load = { body: five.toBody(0), inFlight, seconds: round.quick ? 1 : 4 };
		const least = await leastPeer.measure(load);
		const stored = await (await round.use("stored", () => startDeliveriesPeer({ ...acts, byRule: true }))).measure(load);
		const unlisted = await (await round.use("unlisted", () => startDeliveriesPeer({ ...acts, byRule: false }))).measure(load);
		const limits = {
			least: least / other.bare,
			stored: stored / other.bare,
			unlisted: unlisted / other.bare,
			ofLeast: other.perSecond / least,
		};
		return {
			values: { few: one.ratio, fewLag: one.lag, five: other.ratio, fiveLag: other.lag, ...limits },
			detail: `one in 20: ${one.detail}\n           five each: ${other.detail}; the least ${least.toFixed(0)}/s, storage alone ${stored.toFixed(0)}/s, not by rule ${unlisted.toFixed(0)}/s`,
		};
	},
};

export async function startRuled(options: ServiceOptions = {}): Promise<Service> {
	const service = await startService(options);
	const rules = Array.from({ length: ruleCount }, (_none, index) => ({
		name: `rule-${index}`,
		url,
		criteria: { "trigger.body.action": { type: "inside", pattern: [`deploy-${index}`, `release-${index % 20}`] } },
	}));
	await addRules(service, rules);
	return service;
}

interface Subject {
	readonly service: Service;
	readonly peer: InsertPeer;
	readonly deliveries: Deliveries;
	/** Rules that match a delivery, on average. */
	readonly matches: number;
}

async function measure(round: Round, { service, peer, deliveries, matches }: Subject) {
	const seconds = round.quick ? 1 : 4;
	await postDeliveries(service, deliveries, { inFlight, seconds: round.number === 1 ? seconds : 0.5 });
	await settle(service);
	const [ours, bare] = await round.alternate(
		async () => {
			const accepted = await measureService(service.pid, () => postDeliveries(service, deliveries, { inFlight, seconds }));
			// Otherwise what still waits would be worked off while the other side is measured.
			return { ...accepted, behind: await settle(service) };
		},
		() => peer.measure({ body: deliveries.toBody(0), inFlight, seconds }),
	);
	const perSecond = ours.value / ours.seconds;
	await pause(2 * clockDifference);
	const since = new Date(Date.now() - clockDifference).toISOString();
	const paced = await paceDeliveries(service, deliveries, { perSecond: perSecond / 2, seconds });
	await settle(service);
	const lags = await readLags(service, since);
	if (lags.length !== Math.ceil(paced * matches)) throw new Error(`${paced} deliveries led to ${lags.length} enforcements`);
	const share = (used: number) => (1000 * used) / ours.value;
	const time = describeTime({ server: share(ours.time.server), launcher: 0, processes: 0, client: share(ours.time.client) });
	return {
		ratio: perSecond / bare,
		perSecond,
		bare,
		lag: quantile(lags, 0.99),
		detail:
			`${perSecond.toFixed(0)}/s (CPU ms each: ${time}), worked off ${ours.behind.toFixed(0)} ms later; bare h3 ${bare.toFixed(0)}/s; ` +
			`${(paced / seconds).toFixed(0)}/s paced, ${describeLags(lags)}`,
	};
}

function toBody(action: string): string {
	return JSON.stringify({ action, parameters: { branch: "main", commit: "3b5d5c3712955042212316173ccf37be" } });
}
