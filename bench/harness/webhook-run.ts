import type { IncomingMessage } from "node:http";
import { type LoadFigures, toLoadFigures } from "./load-figures.ts";
import { measureService } from "./process-figures.ts";
import type { Service } from "./service.ts";
import { type WatchedEnds, watchEnds } from "./watched-ends.ts";

export interface WebhookRuns {
	/** Of the webhook; one rule answers it with one execution. */
	readonly url: string;
	readonly body: string;
	readonly inFlight: number;
	readonly seconds: number;
}

/** Keep `inFlight` deliveries going: the next one goes out when the execution that the last one has started has succeeded. */
export async function runWebhooks(service: Service, load: WebhookRuns): Promise<LoadFigures> {
	const watch = await watchEnds(service, readEnds);
	try {
		await work(service, watch, { ...load, seconds: Math.min(load.seconds, 1) });
		return toLoadFigures(await measureService(service.pid, () => work(service, watch, load)));
	} finally {
		watch.stop();
	}
}

async function work(service: Service, watch: WatchedEnds, { url, body, inFlight, seconds }: WebhookRuns): Promise<number[]> {
	const taken: number[] = [];
	const until = performance.now() + seconds * 1_000;
	const worker = async () => {
		while (performance.now() < until) {
			const started = performance.now();
			const { "svc-trigger-instance-id": instance } = await service.api.deliver(`/v1/webhooks/${url}`, body);
			await watch.succeeded(String(instance));
			taken.push(performance.now() - started);
		}
	};
	await Promise.race([Promise.all(Array.from({ length: inFlight }, worker)), watch.broken]);
	return taken;
}

const underWay = /^\{"id":"[0-9a-f]{24}","status":"(?:requested|scheduled|running)"/;
const end = /^\{"id":"[0-9a-f]{24}","status":"([a-z]+)".*"trigger_instance":\{"id":"([0-9a-f]{24})"/;

/** Status and trigger instance are found without parsing the kilobytes of an event. */
function readEnds(response: IncomingMessage, onEnd: (instanceId: string, status: string) => void): void {
	let rest = "";
	response.setEncoding("latin1");
	response.on("data", (piece: string) => {
		const lines = (rest + piece).split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			const data = line.startsWith("data: ") ? line.slice("data: ".length) : "";
			const [, status, instanceId] = underWay.test(data) ? [] : (end.exec(data) ?? []);
			if (status !== undefined && instanceId !== undefined) onEnd(instanceId, status);
		}
	});
}
