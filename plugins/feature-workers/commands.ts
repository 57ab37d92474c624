import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { InvalidArgumentError } from "commander";
import {
	type AddCommands,
	type CliContext,
	CliExit,
	optionsOf,
	parseCommaList,
	RecordCommands,
	resolveSettings,
	withExamples,
	withFeature,
} from "../../core/cli.ts";
import { createWorkerClient } from "./client.ts";

const columns = ["name", "state", "labels", "runners", "running", "places", "hostname", "seen_at"];

const attributes = [
	...["id", "name", "user", "state", "labels", "runners", "running", "places", "executions"],
	...["hostname", "pid", "version", "started_at", "seen_at"],
];

interface StartOptions {
	readonly labels?: readonly string[];
	readonly runners?: readonly string[];
	readonly name?: string;
	readonly places: number;
	readonly grace: number;
	readonly config?: string;
	readonly dataDir: string;
}

export const addWorkerCommands: AddCommands = (parent, context) => {
	const worker = parent
		.command("worker")
		.description(
			"Run a worker, which executes actions for a service, or show workers. The API key is in SVC_API_KEY or in the file SVC_API_KEY_FILE.",
		);
	withFeature(worker, { name: "workers", add: "workers() of svc-automation/plugins/feature-workers" });

	const workers = new RecordCommands(worker, context, { noun: "worker", createClient: createWorkerClient });
	workers.addList("List workers, ordered by name.", columns, (client) => client.list());
	workers.addShow("get <workers...>", "Show workers and their running executions, by id or name.", attributes, (client, name) =>
		client.get(name),
	);
	withExamples(worker, {
		list: ["svc worker list"],
		get: ["svc worker get worker1"],
	});

	if (context.worker === undefined) return;
	worker
		.option(
			"--labels <labels>",
			"labels of the work to accept, separated by commas (SVC_WORKER_LABELS)",
			parseCommaList,
			fromWords(context.env["SVC_WORKER_LABELS"]),
		)
		.option("--runners <names>", "runner types to provide, separated by commas; default: all of the configuration", parseCommaList)
		.option("--name <name>", "name of the worker; default: the name of this host")
		.option("--places <number>", "maximum number of concurrent runs", toCount, 4)
		.option("--grace <seconds>", "seconds that runs may take after the first signal to stop", toCount, 60)
		.option("--config <file>", "configuration file with the runners; default: ./svc.config.ts, otherwise the one of the package")
		.option("--data-dir <directory>", "directory for the files of packs", "./worker-data")
		.action(async (_options, command) => {
			const given = optionsOf<StartOptions>(command);
			const { addresses, apiKey, ca } = resolveSettings(given, context.env);
			const { name = hostname(), places, grace, config, runners, labels = [], dataDir: dataDirectory } = given;
			if (labels.length === 0) throw new CliExit(2, "--labels: at least one label is required; set --labels or SVC_WORKER_LABELS");
			const key = readKey(context) ?? apiKey;
			if (key === undefined)
				throw new CliExit(2, "SVC_API_KEY: missing; set it, or SVC_API_KEY_FILE, to an API key with the scope worker_take");
			const { apiUrl } = addresses;
			const exitCode = await context.worker?.({ apiUrl, apiKey: key, name, labels, runners, places, grace, config, ca, dataDirectory });
			if (exitCode) throw new CliExit(exitCode);
		});
	withExamples(parent, {
		worker: [
			"svc worker --labels gpu --places 2",
			"SVC_API_KEY_FILE=./worker.key svc worker --api-url https://svc.example.org/api/v1 --labels gpu",
		],
	});
};

function readKey({ env }: CliContext): string | undefined {
	const file = env["SVC_API_KEY_FILE"];
	if (!file) return undefined;
	try {
		return readFileSync(file, "utf8").trim();
	} catch (error) {
		throw new CliExit(2, `SVC_API_KEY_FILE: ${String(error)}`);
	}
}

function fromWords(text: string | undefined): readonly string[] | undefined {
	return text ? parseCommaList(text) : undefined;
}

function toCount(text: string): number {
	if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("Must be an integer from 0 to 999999.");
	return Number(text);
}
