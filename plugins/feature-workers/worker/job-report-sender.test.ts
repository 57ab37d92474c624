import * as assert from "node:assert/strict";
import { test } from "uvu";
import { SvcError } from "../../../core/contract/index.ts";
import { JobReportSender } from "./job-report-sender.ts";

/** A service that answers requests of an end by what it is told, one after the other, then well. */
class FakeService {
	readonly asked: string[] = [];
	readonly bodies: Readonly<Record<string, unknown>>[] = [];
	readonly #problems: SvcError[];

	constructor(problems: SvcError[]) {
		this.#problems = problems;
	}

	async post<T>(path: string, body: Readonly<Record<string, unknown>>): Promise<T> {
		this.asked.push(path);
		this.bodies.push(body);
		const problem = this.#problems.shift();
		if (problem !== undefined) throw problem;
		return { stored: true } as T;
	}
}

const toUplink = (service: FakeService, signal = new AbortController().signal) =>
	new JobReportSender(service, { id: "1", fence: "2" }, { maxResultOutput: 1_000, signal });

test("a key that is refused for a moment loses no end", async () => {
	const service = new FakeService([
		new SvcError("SVC_FORBIDDEN", "not now"),
		new SvcError("SVC_UNAUTHORIZED", "who"),
		new SvcError("SVC_UNAVAILABLE", "away"),
	]);
	await toUplink(service).end({ succeeded: true, result: {} });
	assert.equal(service.asked.length, 4);
});

test("an end that the service does not want is told in short, and one of a run that another has is not told", async () => {
	const refused = new FakeService([new SvcError("SVC_TOO_LARGE", "too large")]);
	await toUplink(refused).end({ succeeded: true, result: {} });
	assert.equal(refused.asked.length, 2);
	const taken = new FakeService([new SvcError("SVC_CONFLICT", "another has it")]);
	await toUplink(taken).end({ succeeded: true, result: {} });
	assert.equal(taken.asked.length, 1);
});

test("an end that nobody takes for a while is told until somebody does: what runs here is not offered again", async () => {
	const strange = (code: "SVC_NOT_FOUND" | "SVC_CONFLICT") => new SvcError(code, "a page of a proxy", { facts: { foreign: true } });
	const behind = new FakeService([strange("SVC_NOT_FOUND"), strange("SVC_CONFLICT")]);
	await toUplink(behind).end({ succeeded: true, result: { kept: true } });
	assert.deepEqual(behind.bodies.at(-1)?.["result"], { kept: true }, "the end itself, as the service has not refused it");
	const refusing = new FakeService([
		new SvcError("SVC_INVALID", "no"),
		new SvcError("SVC_INVALID", "no"),
		new SvcError("SVC_NOT_FOUND", "no"),
	]);
	await toUplink(refusing).end({ succeeded: true, result: {} });
	assert.equal(refusing.asked.length, 4);
});

test("nothing is told any more of a run that is not the worker's, however long the key is refused", async () => {
	const given = new AbortController();
	const service = new FakeService(Array.from({ length: 1_000 }, () => new SvcError("SVC_FORBIDDEN", "never")));
	const ended = toUplink(service, given.signal).end({ succeeded: true, result: {} });
	given.abort();
	await ended;
	assert.ok(service.asked.length < 10);
});

test.run();
