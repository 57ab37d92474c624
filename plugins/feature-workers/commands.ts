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
			"Take work from a service until told to stop, with the API key of SVC_API_KEY or of the file SVC_API_KEY_FILE; or look at who does.",
		);
	withFeature(worker, { name: "workers", add: "workers() of svc-automation/plugins/feature-workers" });

	const workers = new RecordCommands(worker, context, { noun: "worker", createClient: createWorkerClient });
	workers.addList("List workers by name.", columns, (client) => client.list());
	workers.addShow("get <workers...>", "Show workers, by id or name, and what runs there.", attributes, (client, name) => client.get(name));

	if (context.worker === undefined) return;
	worker
		.option(
			"--labels <labels>",
			"what it may be given, separated by commas (SVC_WORKER_LABELS)",
			parseCommaList,
			fromWords(context.env["SVC_WORKER_LABELS"]),
		)
		.option("--runners <names>", "runner types that it has, separated by commas; default all of the configuration", parseCommaList)
		.option("--name <name>", "how it is listed; default the name of this host")
		.option("--places <number>", "most runs at once", toCount, 4)
		.option("--grace <seconds>", "how long runs may go on after the first signal", toCount, 60)
		.option("--config <file>", "configuration with the runners; default ./svc.config.ts, else the one of the package")
		.option("--data-dir <directory>", "where files of packs lie", "./worker-data")
		.action(async (_options, command) => {
			const given = optionsOf<StartOptions>(command);
			const { addresses, apiKey, ca } = resolveSettings(given, context.env);
			const { name = hostname(), places, grace, config, runners, labels = [], dataDir: dataDirectory } = given;
			if (labels.length === 0) throw new CliExit(2, "--labels must name at least one label: what needs it may be given to this machine");
			const key = readKey(context) ?? apiKey;
			if (key === undefined) throw new CliExit(2, "SVC_API_KEY or SVC_API_KEY_FILE must give an API key with the scope worker_take");
			const { apiUrl } = addresses;
			const exitCode = await context.worker?.({ apiUrl, apiKey: key, name, labels, runners, places, grace, config, ca, dataDirectory });
			if (exitCode) throw new CliExit(exitCode);
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
	if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("expected a whole number.");
	return Number(text);
}
