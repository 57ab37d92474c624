import type { Writable } from "node:stream";
import type { Command } from "commander";
import { ClientHandlers } from "../../cli/commands/client-handlers.ts";
import { type AddCommands, toInteger, withCommonOptions } from "../../cli/commands/options.ts";
import { withNames } from "../../cli/completion/name-source.ts";
import { type CliContext, writeOutput } from "../../cli/context.ts";
import { orNotFound } from "../../cli/failure.ts";
import { printList, printRecord } from "../../cli/print-records.ts";
import { createPackClient, createPackRegisterClient, type PackRecord } from "./pack-client.ts";

const names = { path: "/packs", name: "ref" };
const columns = ["ref", "name", "description", "version", "author", "commit", "followed"];
const attributes = [
	"ref",
	"name",
	"description",
	"version",
	"author",
	"email",
	"keywords",
	"path",
	"content",
	"source",
	"installation",
	"followed",
];

interface RegisterOptions {
	readonly types?: string;
	readonly skipBroken?: boolean;
}

export const addPackCommands: AddCommands = (parent, context) => {
	const pack = parent.command("pack").description("Write packs, and see which there are.");
	addPackViewCommands(pack, context);
	addPackRegisterCommands(pack, context);
};

function addPackViewCommands(pack: Command, context: CliContext): void {
	const handlers = new ClientHandlers(createPackClient, context);
	withCommonOptions(pack.command("list").description("List packs."))
		.option("-n, --last <count>", "at most as many; -1 for all", toInteger)
		.action(
			handlers.list<{ last?: number }>(
				columns,
				async (client, { json, yaml, attr, last }) => {
					const page = await client.list({ limit: last });
					const isTable = !json && !yaml && attr === undefined;
					return isTable ? { ...page, items: page.items.map(toRow) } : page;
				},
				"-n",
			),
		);

	withCommonOptions(withNames(pack.command("get <refs...>"), names).description("Show packs.")).action(
		handlers.show("Pack", attributes, (client, ref) => client.get(ref)),
	);

	withCommonOptions(
		withNames(pack.command("files <ref> [path]"), names).description("List the files of a pack, or show one of them."),
	).action(
		handlers.run<object, [ref: string, path: string | undefined]>(async (client, options, ref, path) => {
			if (path !== undefined) {
				const file = await orNotFound(client.file(ref, path), "File", `${ref}/${path}`, `svc pack files ${ref}`);
				return writeFile(context.stdout, file);
			}
			const { files } = await orNotFound(client.get(ref), "Pack", ref, "svc pack list");
			const records = files.map((file) => ({ path: file }));
			await printList({ items: records, total: records.length, limit: undefined }, ["path"], options, context);
		}),
	);
}

/** Returns a table row with the installed commit and, for a followed pack, its state. */
function toRow(pack: PackRecord): object {
	const commit = pack.source?.["commit"];
	// The commit of archives and directories begins with "sha256:".
	return {
		...pack,
		commit: typeof commit === "string" ? commit.replace(/^((?:sha256:)?.{10}).*$/s, "$1") : undefined,
		followed: pack.followed?.["state"],
	};
}

/**
 * Writes a file unchanged to files and pipes. On a terminal, control sequences are filtered, because the author of the pack is not trusted
 * with the terminal.
 */
function writeFile(stream: Writable, file: Uint8Array): Promise<void> {
	if ("isTTY" in stream && stream.isTTY === true) return writeOutput(stream, Buffer.from(file).toString("utf8"));
	return new Promise((resolve) => stream.write(file, () => resolve()));
}

function addPackRegisterCommands(pack: Command, context: CliContext): void {
	withCommonOptions(
		pack.command("register [packs...]").description("Have packs be what their files say, without a restart; without names all of them."),
	)
		.option("--types <types>", "only these kinds, such as actions,rules")
		.option("--skip-broken", "leave out files that cannot be used, instead of changing nothing")
		.action(
			new ClientHandlers(createPackRegisterClient, context).run<RegisterOptions, [packs: readonly string[]]>(
				async (client, options, packs) => {
					const counts = await client.register({
						...(packs.length > 0 && { packs }),
						...(options.types !== undefined && { types: options.types.split(",").map((type) => type.trim()) }),
						...(options.skipBroken === true && { fail_on_failure: false }),
					});
					await printRecord(counts, Object.keys(counts), options, context);
				},
			),
		);
}
