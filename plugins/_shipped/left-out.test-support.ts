import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { ServicePlan } from "../../core/cli/service-plan.ts";
import {
	type ServiceProcess,
	startServiceProcess,
	writeServiceConfig,
} from "../../core/testing/guarantees/service-process.test-support.ts";

const main = fileURLToPath(new URL("../../dist/plugins/_shipped/main.js", import.meta.url));

type Files = Parameters<typeof writeServiceConfig>[0];
/** What differs between one service of a directory and the next. */
export type SiteOptions = Omit<Files, "directory" | "packs" | "config" | "signal">;

export interface Outcome {
	readonly exitCode: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

/** A directory with a pack, for one service after another; each is a process of its own, and so is each command. */
export class Site {
	readonly directory: string;

	constructor(directory: string) {
		this.directory = directory;
	}

	/** Run with the service of a configuration. */
	async serve(options: SiteOptions, use: (service: ServiceProcess) => Promise<void>): Promise<void> {
		const service = await startServiceProcess(this.#toFiles(options));
		try {
			await use(service);
		} finally {
			await service.stop();
		}
	}

	/** The plan of a configuration that no service uses now. */
	async plan(options: SiteOptions): Promise<ServicePlan> {
		const config = await writeServiceConfig(this.#toFiles(options));
		const env = { SVC_DATA_DIR: join(this.directory, "data"), SVC_ADMIN_PASSWORD: "guarantees", ...options.environment };
		const { stdout, stderr } = await this.svc(env, "plan", "--config", config, "-j");
		try {
			return JSON.parse(stdout) as ServicePlan;
		} catch (cause) {
			throw new Error(`the plan is not JSON: ${stdout}${stderr}`, { cause });
		}
	}

	/** Run the command with a service. */
	ask({ api, token }: ServiceProcess, ...words: readonly string[]): Promise<Outcome> {
		return this.svc({ SVC_API_URL: `${api}/v1`, SVC_AUTH_TOKEN: token }, ...words);
	}

	async svc(env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Outcome> {
		const child = spawn(process.execPath, [main, ...words], {
			cwd: this.directory,
			env: { PATH: process.env["PATH"], HOME: this.directory, ...env },
			stdio: ["ignore", "pipe", "pipe"],
		});
		const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
		const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
		return { exitCode, stdout, stderr };
	}

	#toFiles(options: SiteOptions): Files {
		return { ...options, directory: this.directory, packs: join(this.directory, "packs") };
	}
}

/** A pack with something of every kind, including an alias and a policy that demands a worker. */
const pack: Readonly<Record<string, string>> = {
	"pack.yaml": "ref: hello\nname: hello\ndescription: Greets.\nversion: 1.0.0\nauthor: test\n",
	"actions/greet.yaml": "name: greet\nrunner_type: noop\nparameters: {}\n",
	"actions/lift.yaml": "name: lift\nrunner_type: noop\nparameters: {}\n",
	"rules/greet.yaml": `name: greet
pack: hello
enabled: true
trigger: { type: core.svc.webhook, parameters: { url: greet } }
action: { ref: hello.greet }
`,
	"aliases/hello.yaml": "name: hello\naction_ref: hello.greet\nformats: [hello]\n",
	"policies/far.yaml": "name: far\nresource_ref: hello.lift\npolicy_type: action.workers\nparameters: { labels: [far] }\n",
};

/** Run with a directory that holds the pack. */
export async function withSite(use: (site: Site) => Promise<void>): Promise<void> {
	const directory = await mkdtemp(join(tmpdir(), "svc-left-out-"));
	try {
		for (const [path, content] of Object.entries(pack)) {
			await mkdir(dirname(join(directory, "packs/hello", path)), { recursive: true });
			await writeFile(join(directory, "packs/hello", path), content);
		}
		await use(new Site(directory));
	} finally {
		await rm(directory, { recursive: true, force: true });
	}
}
