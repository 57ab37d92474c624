import * as assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { type BusEvent, type EventBus, isSvcError, type Logger, type PluginContext } from "../../core/contract/index.ts";
import { createOptions } from "../../core/testing/service-options.ts";

export interface LogLine {
	readonly level: string;
	readonly message: string;
	readonly fields: Readonly<Record<string, unknown>>;
}

export interface BusNode {
	readonly bus: EventBus;
	readonly lines: readonly LogLine[];
	/** Subscribe until the bus is stopped. */
	subscribe(...names: readonly string[]): Promise<AsyncIterator<BusEvent>>;
	/** Resolves with the first line, from the beginning, whose message matches. */
	logged(message: RegExp): Promise<LogLine>;
}

/** Start a bus as the host would, and keep its log. */
export async function startBus(bus: EventBus): Promise<BusNode> {
	const lines: LogLine[] = [];
	const waiting = new Set<() => void>();
	const at =
		(level: string) =>
		(message: string, fields: Readonly<Record<string, unknown>> = {}) => {
			lines.push({ level, message, fields });
			for (const wake of waiting) wake();
		};
	const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
	const context: PluginContext = {
		logger,
		dataDirectory: tmpdir(),
		nodeId: "node",
		options: createOptions(),
		clock: { now: () => Date.now() * 1000 },
	};
	await bus.start?.(context);
	const { signal } = new AbortController();
	return {
		bus,
		lines,
		subscribe: async (...names) => (await bus.subscribe(names, { signal, buffer: 50_000 }))[Symbol.asyncIterator](),
		async logged(message) {
			for (;;) {
				const found = lines.find((line) => message.test(line.message));
				if (found !== undefined) return found;
				await new Promise<void>((resolve) => waiting.add(resolve));
			}
		},
	};
}

/** Publish until the other node has one of the events: the connections are there again. */
export async function arrives(here: BusNode, there: BusNode): Promise<void> {
	let isThere = false;
	while (!isThere) {
		const events = await there.subscribe("arrives");
		const timer = setInterval(() => here.bus.publish("arrives", {}), 50);
		isThere = await events.next().then(
			() => true,
			() => false,
		);
		clearInterval(timer);
	}
}

/** Read until the reader is told that events may be missing; the numbers before that. */
export async function readUntilLag(events: AsyncIterator<BusEvent>): Promise<number[]> {
	const numbers: number[] = [];
	try {
		for (;;) {
			const { done, value } = await events.next();
			assert.notEqual(done, true, "the subscription ended without an error");
			numbers.push(Number(value?.data["number"]));
		}
	} catch (error) {
		if (!isSvcError(error, "SVC_SUBSCRIBER_LAGGED")) throw error;
		return numbers;
	}
}
