import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { localCommand } from "../../../plugins-runner/local-command/index.ts";
import { localScript } from "../../../plugins-runner/local-script/index.ts";
import type { OptionsInput } from "../../contract/index.ts";
import { fakeWorkflow } from "./fake-workflow.test-support.ts";
import { type ServiceUnderTest, type WireRecord, withService } from "./service.test-support.ts";

/** Files of packs, by path below the directory of packs. */
export type PackFiles = Readonly<Record<string, string>>;

/** Run with a whole service on the plugins it ships with, on a disk, with these packs. */
export async function withWholeService(
	files: PackFiles,
	run: (service: ServiceUnderTest) => Promise<void>,
	options: OptionsInput = {},
): Promise<void> {
	const packs = await mkdtemp(join(tmpdir(), "svc-packs-"));
	try {
		for (const [path, text] of Object.entries(files)) {
			await mkdir(dirname(join(packs, path)), { recursive: true });
			await writeFile(join(packs, path), text, { mode: 0o755 });
		}
		const plugins = { backend: { durable: true }, runners: [localCommand(), localScript(), fakeWorkflow()], packs: [packs] };
		await withService(run, { ...options, ...plugins });
	} finally {
		await rm(packs, { recursive: true, force: true });
	}
}

/** Create an execution; its id. Throws when it was refused. */
export async function create({ ask }: ServiceUnderTest, request: object): Promise<string> {
	const response = await ask("/v1/executions", { method: "POST", body: JSON.stringify(request) });
	const record = (await response.json()) as WireRecord;
	if (response.status !== 201) throw new Error(`not created: ${String(record["faultstring"])}`);
	return String(record["id"]);
}
