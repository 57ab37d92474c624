// test-waits
import { test } from "uvu";
import { localCommand } from "../../plugins-runner/local-command/index.ts";
import type { Runner } from "../contract/index.ts";
import { closeLeftOpen } from "./broken/lifecycle.test-support.ts";
import { type ParentFaults, parentRunner } from "./broken/parent-runner.test-support.ts";
import { brokenRecoveries } from "./broken/recovering-runners.test-support.ts";
import { assertAccepted, assertRefused } from "./broken/refusals.test-support.ts";
import { brokenRunners } from "./broken/runners.test-support.ts";
import { killAll, type ShellFaults, shellCases, shellRunner } from "./broken/shell-runner.test-support.ts";
import { type WorkflowFaults, workflowRunner } from "./broken/workflow-runner.test-support.ts";
import { mockRunner } from "./mock-runner.ts";
import type { RegisterTest } from "./run-kit.ts";
import { testRunner } from "./runner-suite.ts";

const registerMock = (test: RegisterTest, spoil: (sound: Runner) => Runner) =>
	testRunner({
		test,
		name: "runner",
		create: () => ({ ...mockRunner(), create: () => spoil(mockRunner().create()) }),
		cases: {
			succeeds: {},
			fails: { runnerParameters: { fail: true } },
			throws: { runnerParameters: { throw: "out of order" } },
			prints: (lines) => ({ runnerParameters: { lines } }),
			blocks: { runnerParameters: { text: "ready\n", block: true } },
		},
		grace: 400,
		patience: 500,
	});

/** In the environment of every process of this file, for the broken runners leave some behind. */
const ofThisFile = `SVC_TEST_FILE=${process.pid}-${Date.now()}`;
const [variable = "", value = ""] = ofThisFile.split("=");

function registerShell(test: RegisterTest, faults: ShellFaults): void {
	const marked = Object.entries(shellCases).map(([kind, given]) => {
		const mark = (options: object) => ({ ...options, environment: { [variable]: value } });
		return [kind, typeof given === "function" ? (argument: never) => mark(given(argument)) : mark(given)];
	});
	testRunner({ test, name: "runner", create: () => shellRunner(faults), cases: Object.fromEntries(marked), grace: 1_500 });
}

function registerLasting(test: RegisterTest, spoil: (sound: Runner) => Runner): void {
	const lasts = (count: number) => ({
		runnerParameters: { cmd: `i=1; while [ $i -le ${count} ]; do echo line $i; i=$((i+1)); sleep 0.03; done` },
		environment: { [variable]: value },
	});
	const plugin = localCommand({ survive_restart: true });
	testRunner({ test, name: "runner", create: () => ({ ...plugin, create: () => spoil(plugin.create()) }), cases: { lasts }, grace: 400 });
}

function registerParent(test: RegisterTest, faults: ParentFaults): void {
	testRunner({ test, name: "runner", create: () => parentRunner(faults), cases: { startsChildren: {} }, grace: 400 });
}

function registerWorkflow(test: RegisterTest, faults: WorkflowFaults): void {
	testRunner({ test, name: "runner", create: () => workflowRunner(faults), cases: { startsChildren: {} }, grace: 400 });
}

const brokenWorkflows: readonly { readonly name: string; readonly faults: WorkflowFaults; readonly refusedBy: string }[] = [
	{ name: "a workflow cannot be ended", faults: { cannotBeCanceled: true }, refusedBy: "a workflow can be canceled and recovered" },
	{
		name: "a workflow goes on although it is asked to pause",
		faults: { ignoresPause: true },
		refusedBy: "a pausing workflow starts no more children, and is paused when none is active",
	},
	{
		name: "a workflow is paused before its children are",
		faults: { pausesEarly: true },
		refusedBy: "a pausing workflow starts no more children, and is paused when none is active",
	},
	{
		name: "a workflow that goes on starts everything again",
		faults: { startsTwice: true },
		refusedBy: "a paused workflow continues from its journal and starts no child twice",
	},
	{
		name: "the children of a workflow outlive its cancel",
		faults: { leavesChildren: true },
		refusedBy: "a canceled workflow ends its children",
	},
	{
		name: "a workflow ends when the service stops",
		faults: { endsAtShutdown: true },
		refusedBy: "a workflow does not end its children when the service stops, and continues afterwards",
	},
	{
		name: "a workflow without a journal is not found",
		faults: { needsJournal: true },
		refusedBy: "a workflow with an empty journal starts from the beginning when it is recovered",
	},
];

const brokenParents: readonly { readonly name: string; readonly faults: ParentFaults; readonly refusedBy: string }[] = [
	{
		name: "a run ends before its children",
		faults: { endsEarly: true },
		refusedBy: "a run that starts children ends only after its children",
	},
	{
		name: "a run waits for its children whatever happens",
		faults: { ignoresAbort: true },
		refusedBy: "an abort ends a run that waits for its children",
	},
	{
		name: "keys are made of chance",
		faults: { hasChanceKeys: true },
		refusedBy: "a run that another node resumes starts no child twice",
	},
	{
		name: "children are started before the run can be found again",
		faults: { savesLate: true },
		refusedBy: "a run that another node resumes starts no child twice",
	},
];

const brokenShells: readonly { readonly name: string; readonly faults: ShellFaults; readonly refusedBy: string }[] = [
	{
		name: "a process that ignores TERM is left alone",
		faults: { isGentle: true },
		refusedBy: "a run that ignores TERM ends within the grace and a second",
	},
	{
		name: "a process that has left the group outlives the run",
		faults: { isGroupOnly: true },
		refusedBy: "no process of a run outlives its cancel, even if it changed its process group",
	},
	{
		name: "a run ends before its process",
		faults: { endsBeforeProcess: true },
		refusedBy: "no process of a run outlives its cancel, even if it changed its process group",
	},
	{
		name: "the end of the output is taken for the end of the run",
		faults: { endsWithOutput: true },
		refusedBy: "a run that closes its output early ends when it ends, with its own status",
	},
	{ name: "output is decoded as Latin 1", faults: { isLatin: true }, refusedBy: "bytes that are not valid text do no harm" },
	{
		name: "a character that comes in two pieces is broken",
		faults: { cutsCharacters: true },
		refusedBy: "a character that arrives in several pieces is emitted whole",
	},
	{
		name: "a secret stands on the command line",
		faults: { showsSecret: true },
		refusedBy: "a secret parameter does not appear on a command line",
	},
];

test.after(() => killAll(ofThisFile));
test.after.each(closeLeftOpen);

for (const { name, spoil, ...refusal } of brokenRunners) {
	test(`the kit refuses a runner of which it is true that ${name}`, () => assertRefused(refusal, (check) => registerMock(check, spoil)));
}

for (const { name, faults, refusedBy } of brokenShells) {
	test(`the kit refuses a runner of which it is true that ${name}`, () =>
		assertRefused({ refusedBy }, (check) => registerShell(check, faults)));
}

for (const { name, spoil, ...refusal } of brokenRecoveries) {
	test(`the kit refuses a runner of which it is true that ${name}`, () => assertRefused(refusal, (check) => registerLasting(check, spoil)));
}

for (const { name, faults, refusedBy } of brokenParents) {
	test(`the kit refuses a runner of which it is true that ${name}`, () =>
		assertRefused({ refusedBy }, (check) => registerParent(check, faults)));
}

for (const { name, faults, refusedBy } of brokenWorkflows) {
	test(`the kit refuses a runner of which it is true that ${name}`, () =>
		assertRefused({ refusedBy }, (check) => registerWorkflow(check, faults)));
}

test("the kit accepts the runners that the broken ones are made of", async () => {
	await assertAccepted((check) => registerMock(check, (sound) => sound));
	await assertAccepted((check) => registerShell(check, {}));
	await assertAccepted((check) => registerParent(check, {}));
	await assertAccepted((check) => registerWorkflow(check, {}));
});

test.run();
