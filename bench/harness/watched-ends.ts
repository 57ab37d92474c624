import type { IncomingMessage } from "node:http";
import type { Service } from "./service.ts";

export interface WatchedEnds {
	/** What is known by this id has succeeded. */
	succeeded(id: string): Promise<void>;
	/** Rejects when the stream ends, or an execution ends otherwise than succeeded. */
	readonly broken: Promise<never>;
	stop(): void;
}

/** Tells of each end that a stream of executions shows: its status, and the id that somebody may wait for. */
export type ReadEnds = (response: IncomingMessage, onEnd: (id: string, status: string) => void) => void;

/** Learns of all ends from one general stream. */
export async function watchEnds(service: Pick<Service, "stream">, readEnds: ReadEnds): Promise<WatchedEnds> {
	const response = await service.stream.open("/v1/stream?events=svc.execution__update");
	const waiting = new Map<string, () => void>();
	/** Ends that were heard of before the answer to the request that brought them about. */
	const early = new Set<string>();
	const broken = new Promise<never>((_resolve, reject) => {
		response.on("end", () => reject(new Error("the stream of executions ended")));
		response.on("error", reject);
		readEnds(response, (id, status) => {
			if (status !== "succeeded") return reject(new Error(`the execution of ${id} ended as ${status}`));
			const done = waiting.get(id);
			waiting.delete(id);
			if (done === undefined) early.add(id);
			else done();
		});
	});
	broken.catch(() => {});
	return {
		succeeded: (id) => (early.delete(id) ? Promise.resolve() : new Promise((resolve) => waiting.set(id, resolve))),
		broken,
		stop: () => response.destroy(),
	};
}
