import * as assert from "node:assert/strict";
import { test } from "uvu";
import { stringify } from "yaml";
import type { OptionsInput } from "../../contract/index.ts";
import type { Route } from "../../http/route.ts";
import type { ServiceUnderTest, WireRecord } from "./service.test-support.ts";
import { create, type PackFiles, withWholeService } from "./whole-service.test-support.ts";

const prefixes = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" } as const;

/** An action with a parameter of every type, which does nothing. */
export const probe = {
	name: "probe",
	runner_type: "local-shell-cmd",
	parameters: {
		cmd: { default: "true", immutable: true },
		text: { type: "string" },
		number: { type: "integer" },
		flag: { type: "boolean" },
		list: { type: "array", items: { type: "string" } },
		map: { type: "object", properties: { text: { type: "string" } } },
	},
};
const pack: PackFiles = {
	"probes/pack.yaml": stringify({ ref: "probes", name: "probes", description: "Probes.", version: "1.0.0", author: "somebody" }),
	"probes/actions/probe.yaml": stringify(probe),
};

/** What an answer must be: refused with a message that matches, or anything that is no failure of the service. */
export interface Expectation {
	readonly label: string;
	readonly names?: RegExp | undefined;
	/** Default: whether `names` is given. */
	readonly refused?: boolean;
}

export interface Probe extends ServiceUnderTest {
	/** Address of a route on the API's listener, about things that exist unless `id` says otherwise. */
	url(route: Route, id?: string): string;
	/** Wait for an answer and look at it; what is wrong fails the test at its end. */
	check(response: Promise<Response>, expectation: Expectation): Promise<void>;
}

/** Basic authentication, for the route that wants it. */
export const basic = { authorization: `Basic ${Buffer.from("admin:a password").toString("base64")}` };

/** Name of a route in messages. */
export const nameOf = ({ method, path, component }: Route) => `${component} ${method} ${path}`;

/** Every `step`-th value, from a different one on for each route: the same code reads the URLs and bodies of all routes, so each gets a share. */
export const valuesForRoute = <T>(values: readonly T[], route: number, step: number): readonly T[] =>
	values.filter((_value, index) => index % step === route % step);

/**
 * Adds tests that share one service, with a finished execution of `probes.probe`. After each test the service must be unharmed: no answer
 * was wrong, no error is in the log, it still runs actions, and all that took less than a minute.
 */
export function createProbeTest(options: OptionsInput = {}): (name: string, run: (probe: Probe) => Promise<void>) => void {
	const service = shareService(options);
	return (name, run) =>
		test(name, async () => {
			const started = performance.now();
			const problems: string[] = [];
			const check = async (response: Promise<Response>, expectation: Expectation) => {
				const problem = await findProblem(await response, expectation);
				if (problem !== undefined) problems.push(`${expectation.label.slice(0, 200)}: ${problem}`);
			};
			const { id, ...rest } = await service();
			await run({ ...rest, check, url: (route, given) => toUrl(route, given, id) });
			assert.deepEqual(problems, []);
			await assertUnharmed(rest);
			assert.ok(performance.now() - started < 60_000, "the service took too long to refuse");
		});
}

interface ProbedService extends ServiceUnderTest {
	/** Of the execution. */
	readonly id: string;
}

/** Starts a service at the first call, and ends it after the last test of the file. */
function shareService(options: OptionsInput): () => Promise<ProbedService> {
	let starting: Promise<ProbedService> | undefined;
	let running: Promise<void> | undefined;
	let end = () => {};
	const ended = new Promise<void>((resolve) => {
		end = resolve;
	});
	test.after(async () => {
		end();
		await running;
	});
	return () =>
		(starting ??= new Promise((resolve, reject) => {
			const use = async (service: ServiceUnderTest) => {
				const id = await create(service, { action: "probes.probe" });
				await service.ended(id);
				resolve({ ...service, id });
				await ended;
			};
			running = withWholeService(pack, use, options);
			running.catch(reject);
		}));
}

function toUrl({ component, path, method }: Route, given: string | undefined, id: string): string {
	// What would be removed is needed by the requests to come.
	const subjects: Readonly<Record<string, string>> = {
		id,
		ref: method === "DELETE" ? "probes.gone" : "probes.probe",
		name: "local-shell-cmd",
	};
	return prefixes[component] + path.replace(/:(\w+)/g, (_whole, name: string) => given ?? subjects[name] ?? "x");
}

async function findProblem(response: Response, { names, refused = names !== undefined }: Expectation): Promise<string | undefined> {
	const { status, headers } = response;
	if (status < 400) {
		await response.body?.cancel();
		return refused ? `accepted with ${status}` : undefined;
	}
	const text = await response.text();
	const shown = `${status} ${text.slice(0, 300)}`;
	if (status >= 500 || !/^application\/json/.test(headers.get("content-type") ?? "")) return shown;
	const { faultstring } = JSON.parse(text) as { faultstring: unknown };
	if (typeof faultstring !== "string" || faultstring === "" || faultstring.length > 2_001) return shown;
	if (/1337|native code|\bat .*\.ts:\d/.test(faultstring)) return shown;
	return names === undefined || names.test(faultstring) ? undefined : `${shown} does not match ${names}`;
}

async function assertUnharmed(service: ServiceUnderTest): Promise<void> {
	const last = await create(service, { action: "probes.probe", parameters: { text: "still here" } });
	assert.match(await service.ended(last), /event: EOF/);
	const record = (await (await service.ask(`/v1/executions/${last}`)).json()) as WireRecord;
	assert.equal(record["status"], "succeeded");
	const errors = service.log.filter((line) => line.includes('"level":"error"'));
	assert.deepEqual(errors, []);
	for (const name of ["polluted", "isAdmin"]) assert.equal(name in {}, false);
}
