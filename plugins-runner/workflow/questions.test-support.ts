import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExecutionEntity } from "../../core/contract/index.ts";
import { startEngine, type TestEngine, type TestEngineOptions } from "../../core/testing/engine/engine.test-support.ts";
import { inquirer } from "../inquirer/index.ts";
import { noop } from "../noop/index.ts";
import { workflow } from "./index.ts";

export const asking = { action: "core.ask" };
export const step = { action: "core.noop" };
export const leads = (...names: readonly string[]) => ({ next: [{ do: names }] });

/** An engine with these workflows, by their names, in the pack `p`. */
export async function withWorkflows(
	workflows: Readonly<Record<string, object>>,
	use: (node: TestEngine) => Promise<void>,
	{ options, ...more }: TestEngineOptions = {},
): Promise<void> {
	const packs = await mkdtemp(join(tmpdir(), "svc-questions-"));
	const directory = join(packs, "p");
	await mkdir(join(directory, "actions", "workflows"), { recursive: true });
	const pack = { ref: "p", name: "p", description: "Asks.", version: "1.0.0", author: "tests" };
	await writeFile(join(directory, "pack.yaml"), JSON.stringify(pack));
	for (const [name, tasks] of Object.entries(workflows)) {
		const action = { name, runner_type: "workflow", entry_point: `workflows/${name}.yaml` };
		await writeFile(join(directory, "actions", `${name}.yaml`), JSON.stringify(action));
		await writeFile(join(directory, "actions", "workflows", `${name}.yaml`), JSON.stringify({ version: 1, tasks }));
	}
	const node = await startEngine({ ...more, runners: [workflow(), inquirer(), noop()], options: { ...options, packs: [packs] } });
	try {
		await use(node);
	} finally {
		await node.stop();
		await rm(packs, { recursive: true, force: true });
	}
}

/** Executions of an action below another one, at any depth. */
export async function below({ storage }: Pick<TestEngine, "storage">, id: string, action: string): Promise<readonly ExecutionEntity[]> {
	const children = await storage.find("execution", { where: { parent_id: id }, orderBy: [["id", "asc"]] });
	const deeper = await Promise.all(children.map((child) => below({ storage }, child.id, action)));
	return [...children.filter(({ action_ref }) => action_ref === action), ...deeper.flat()];
}
