import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ServicePlan } from "../../cli/service-plan.ts";
import { loadConfig } from "../../service/load-config.ts";
import { makePlan } from "../../service/plan/make-plan.ts";
import { createService, type Service } from "../../service/service.ts";

const root = new URL("../../../", import.meta.url);
/** Where built plugins are: the build of the tests has them too, and a test that runs from there has loaded most of them already. */
const built = root.pathname.endsWith("/build/tests/") ? root : new URL("dist/", root);

export interface PlanPlace {
	readonly directory: string;
	readonly config: string;
	/** Write another configuration: the text of its members. */
	configure(members: string): Promise<void>;
	plan(env?: Readonly<Record<string, string>>): Promise<ServicePlan>;
	/** A plan, and whether it has left any trace. */
	planUntouched(env?: Readonly<Record<string, string>>): Promise<ServicePlan>;
	write(file: string, text: string): Promise<void>;
	/** Run with the service of the configuration. */
	serve(
		use: (service: Service, started: Awaited<ReturnType<Service["start"]>>) => Promise<void>,
		env?: Readonly<Record<string, string>>,
	): Promise<void>;
}

export const quietPorts = "api: { port: 0 }, stream: { port: 0 }, log: { level: 'error' }";
export const usual = `storage: knexStorage({ client: "sqlite" }), event_bus: memoryBus(), runners: [noop()], packs: ["./packs"],
	sensors: [fileWatch({ paths: ["/nonexistent/watched.log"] })], auth: { backend: flatFile(), port: 0 }, ${quietPorts}`;

/** Run with an empty directory that holds a configuration and a pack. */
export async function withPlan(use: (place: PlanPlace) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-plan-"));
	let count = 0;
	let config = "";
	const write = async (file: string, text: string) => {
		await mkdir(dirname(join(directory, file)), { recursive: true });
		await writeFile(join(directory, file), text);
	};
	const place: PlanPlace = {
		directory,
		get config() {
			return config;
		},
		// A module is read once: another text needs another name.
		async configure(members) {
			config = join(directory, `svc${(count += 1)}.config.mjs`);
			await write(`svc${count}.config.mjs`, toConfig(members));
		},
		plan: (env = {}) => makePlan({ config, env }),
		async planUntouched(env = {}) {
			const before = await fingerprint(directory);
			const planned = await makePlan({ config, env });
			const after = await fingerprint(directory);
			if (before !== after) throw new Error(`the plan has changed something:\n${before}\n${after}`);
			return planned;
		},
		write,
		async serve(run, env = {}) {
			const service = createService(await loadConfig(config), { directory, env });
			try {
				await run(service, await service.start());
			} finally {
				await service.stop();
				await databaseClosed(directory);
			}
		},
	};
	try {
		await writePack(write);
		await place.configure(usual);
		await use(place);
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}

/** The driver lets go of a database that is closed when its statements are collected; the log of the database goes then, and not in the middle of a plan. */
export async function databaseClosed(directory: string): Promise<void> {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	for (let turn = 0; turn < 100 && existsSync(join(directory, "data/svc.db-wal")); turn += 1) {
		collect();
		await delay(20);
	}
}

/** What a configuration may use. */
const plugins = {
	"plugins/event-bus-memory": "memoryBus",
	"plugins/event-bus-nats": "natsBus",
	"plugins/event-bus-postgres": "postgresBus",
	"plugins/feature-aliases": "aliases",
	"plugins/feature-audit": "audit",
	"plugins/feature-pack-installer": "packInstaller",
	"plugins/feature-web-ui": "webUi",
	"plugins/feature-workers": "workers",
	"plugins/storage-memory": "memoryStorage",
	"plugins/storage-knex": "knexStorage",
	"plugins/sensor-file-watch": "fileWatch",
	"plugins/sensor-http-poll": "httpPoll",
	"plugins-auth/flat-file": "flatFile",
	"plugins-auth/ldap": "ldap",
	"plugins-auth/openid-connect": "openidConnect",
	"plugins-auth/pam": "pam",
	"plugins-runner/http-request": "httpRequest",
	"plugins-runner/local-command": "localCommand",
	"plugins-runner/noop": "noop",
	"plugins-runner/python-script": "pythonScript",
};

function toConfig(members: string): string {
	const from = (path: string) => JSON.stringify(new URL(`${path}/index.js`, built).href);
	const imports = Object.entries(plugins).map(([path, name]) => `import { ${name} } from ${from(path)};\n`);
	return `${imports.join("")}void [${Object.values(plugins).join(", ")}];
export default { features: [webUi(), audit(), aliases(), workers(), packInstaller()], ${members} };
`;
}

export const greetRule = `name: greet
pack: hello
enabled: true
trigger: { type: core.svc.webhook, parameters: { url: greet } }
action: { ref: hello.greet }
`;

async function writePack(write: PlanPlace["write"]): Promise<void> {
	await write("packs/hello/pack.yaml", "ref: hello\nname: hello\ndescription: Greets.\nversion: 1.0.0\nauthor: test\n");
	await write("packs/hello/actions/greet.yaml", "name: greet\nrunner_type: noop\nparameters: {}\n");
	await write("packs/hello/actions/broken.yaml", "name: broken\nrunner_type: nope\nparameters: {}\n");
	await write("packs/hello/rules/greet.yaml", greetRule);
	await write(
		"packs/hello/triggers/called.yaml",
		"name: called\npack: hello\nparameters_schema: { type: object, properties: { by: { type: string } } }\n",
	);
	await write(
		"packs/hello/policies/few.yaml",
		"name: few\nresource_ref: hello.greet\npolicy_type: action.concurrency\nparameters: { action: delay, threshold: 2 }\n",
	);
	await write("packs/hello/aliases/hello.yaml", "name: hello\naction_ref: hello.greet\nformats: [hello]\n");
	await write(
		"packs/hello/rules/often.yaml",
		"name: often\npack: hello\ntrigger: { type: core.svc.IntervalTimer, parameters: { unit: hours, delta: 1 } }\naction: { ref: hello.greet }\n",
	);
}

/** Names, and what every file holds but the index of a log, which readers of a database keep too. */
async function fingerprint(directory: string): Promise<string> {
	const entries = (await readdir(directory, { recursive: true, withFileTypes: true })).sort((one, other) =>
		toPath(one) < toPath(other) ? -1 : 1,
	);
	const lines: string[] = [];
	for (const entry of entries) {
		const path = toPath(entry);
		const isCompared = entry.isFile() && !path.endsWith("-shm");
		lines.push(
			`${path} ${
				isCompared
					? createHash("sha256")
							.update(await readFile(path))
							.digest("hex")
					: ""
			}`,
		);
	}
	return lines.join("\n");
}

function toPath({ parentPath, name }: { readonly parentPath: string; readonly name: string }): string {
	return join(parentPath, name);
}
