import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pick, type Random } from "./random.test-support.ts";

/** A pack with workflows of every construct. Whatever is killed meanwhile, each of them has one end only. */
export const workflowPack = {
	name: "steps",
	runners: {
		"local-script": "localScript({ survive_restart: true })",
		inquirer: "inquirer()",
		workflow: "workflow()",
	},
	/** Refs of its workflows. */
	refs: (count: number) => Array.from({ length: count }, (_, index) => `steps.random${index + 1}`),
};

/** Put the pack into a directory of packs, with `count` workflows that are made by chance. */
export async function writeWorkflowPack(
	packs: string,
	{ random, count, stepRunner }: { readonly random: Random; readonly count: number; readonly stepRunner?: string },
): Promise<void> {
	const { name, refs } = workflowPack;
	const directory = join(packs, name);
	await mkdir(join(directory, "actions", "workflows"), { recursive: true });
	await writeFile(
		join(directory, "pack.yaml"),
		JSON.stringify({ ref: name, name, description: "Steps.", version: "1.0.0", author: "tests" }),
	);
	await writeStep(directory, stepRunner);
	await writeWorkflow(directory, "inner", toDefinition(innerTasks));
	for (const ref of refs(count))
		await writeWorkflow(directory, ref.slice(name.length + 1), toDefinition(randomTasks(random, stepRunner === undefined ? 2 : 1)));
}

const script = `#!/bin/sh
sleep 0.0$(($$ % 5))
echo "$1"
exit "\${2:-0}"
`;

/** @param runner runner type that gives `stdout` and `return_code` as its parameters `value` and `code` say; default: a script that outlives the service */
async function writeStep(directory: string, runner: string | undefined): Promise<void> {
	const parameters = { value: { type: "string", position: 0, required: true }, code: { type: "integer", position: 1, default: 0 } };
	const entry = runner === undefined ? { entry_point: "step.sh" } : {};
	const action = { name: "step", runner_type: runner ?? "local-shell-script", parameters, ...entry };
	await writeFile(join(directory, "actions", "step.yaml"), JSON.stringify(action));
	await writeFile(join(directory, "actions", "step.sh"), script, { mode: 0o755 });
}

async function writeWorkflow(directory: string, name: string, definition: object): Promise<void> {
	const action = {
		name,
		runner_type: "workflow",
		entry_point: `workflows/${name}.yaml`,
		parameters: { value: { type: "string", default: "given" } },
	};
	await writeFile(join(directory, "actions", `${name}.yaml`), JSON.stringify(action));
	await writeFile(join(directory, "actions", "workflows", `${name}.yaml`), JSON.stringify(definition));
}

type Tasks = Record<string, { next?: object[]; join?: "all" } & Record<string, unknown>>;

function toDefinition(tasks: Tasks): object {
	const names = Object.keys(tasks);
	return {
		version: 1,
		input: ["value"],
		tasks,
		output: names.map((name) => ({ [name]: `<% ctx().get(${name}, "not reached") %>` })),
	};
}

/** Started again when the service has gone down with it; an end of its own with code 3 stays. */
const again = { retry: { count: 100, when: "<% failed() and result().get(return_code, 0) != 3 %>" } };
const step = (value: string, code = 0) => ({ action: "steps.step", input: { value, code }, ...again });

const innerTasks: Tasks = {
	first: { ...step("<% ctx(value) %>"), next: [{ publish: [{ first: "<% result().stdout %>" }], do: "second" }] },
	second: { ...step("inner <% ctx(first) %>"), next: [{ publish: [{ second: "<% result().stdout %>" }] }] },
};

/**
 * A graph without cycles: every task leads to some that come later, and waits for all that lead to it.
 *
 * @param delays seconds that a task waits are fewer
 */
function randomTasks(random: Random, delays: number): Tasks {
	const names = Array.from({ length: 3 + random(5) }, (_, index) => `task${index + 1}`);
	const tasks: Tasks = {};
	const sources = new Map<string, number>();
	for (const [index, name] of names.entries()) {
		const later = names.slice(index + 1);
		const targets = [...new Set([later[0], ...(random(2) === 0 && later.length > 0 ? [pick(random, later)] : [])])].flatMap(
			(target) => target ?? [],
		);
		for (const target of targets) sources.set(target, (sources.get(target) ?? 0) + 1);
		const { task, published } = randomTask(random, { name, delays });
		tasks[name] = { ...task, next: [{ publish: [{ [name]: published }], ...(targets.length > 0 && { do: targets }) }] };
	}
	for (const [name, count] of sources) if (count > 1) (tasks[name] as Tasks[string]).join = "all";
	return tasks;
}

function randomTask(
	random: Random,
	{ name, delays }: { readonly name: string; readonly delays: number },
): { readonly task: Tasks[string]; readonly published: string } {
	switch (random(7)) {
		case 0:
			return { task: { action: "core.noop", retry: { count: 100 } }, published: `<% task_status(${name}) %>` };
		case 1:
			return { task: { action: "steps.inner", input: { value: name } }, published: "<% result().output.second %>" };
		case 2:
			return {
				task: {
					...step("<% item() %>"),
					with: { items: "<% list(a, b, c, d) %>", ...(random(2) === 0 && { concurrency: 1 + random(2) }) },
					retry: { count: 100 },
				},
				published: "<% result().select($.stdout) %>",
			};
		case 3:
			return { task: step(name, 3), published: `<% task_status(${name}) %>` };
		case 4:
			return { task: { action: "core.ask", retry: { count: 100 } }, published: "<% result().response.continue %>" };
		case 5:
			return { task: {}, published: "<% ctx(value) %>" };
		default:
			return { task: { ...step(`${name} <% ctx(value) %>`), delay: random(delays) }, published: "<% result().stdout %>" };
	}
}
