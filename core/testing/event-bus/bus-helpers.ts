import * as assert from "node:assert/strict";
import type { BusEvent, EventBus } from "../../contract/index.ts";

export function range(length: number): number[] {
	return Array.from({ length }, (_, index) => index);
}

export function publishNumbers(bus: EventBus, name: string, count: number): void {
	for (const number of range(count)) bus.publish(name, { number });
}

export async function readOne(events: AsyncIterator<BusEvent>): Promise<BusEvent> {
	const result = await events.next();
	assert.notEqual(result.done, true, "the subscription ended too early");
	return result.value;
}

export async function readNumbers(events: AsyncIterator<BusEvent>, count: number): Promise<number[]> {
	const numbers: number[] = [];
	while (numbers.length < count) numbers.push(Number((await readOne(events)).data["number"]));
	return numbers;
}
