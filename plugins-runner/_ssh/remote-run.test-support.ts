import type { OptionsInput, RunnerPlugin, RunResult } from "../../core/contract/index.ts";
import { createRunContext, type RunContextOptions, type TestRunContext } from "../../core/testing/run-context.ts";
import { withRunner } from "../../core/testing/runner/started-runner.ts";
import { missing } from "../../core/testing/test-requirements.ts";
import { createSshSite, type Sshd, type SshSite } from "./sshd.test-support.ts";

export type RunnerParameters = NonNullable<RunContextOptions["runnerParameters"]>;

export interface RemoteRun extends RunContextOptions {
	readonly plugin: RunnerPlugin;
	readonly options?: OptionsInput;
	/** Called before the run begins. */
	readonly before?: () => Promise<void>;
	/** May act on the run while it goes on. */
	readonly during?: (context: TestRunContext) => Promise<void>;
}

export type RemoteRunEnd = RunResult & { readonly context: TestRunContext };

/** Sites and one server for all tests of a file. Where sshd is not installed the tests are skipped and nothing is started. */
export async function openSite(test: { readonly after: (close: () => Promise<void>) => void }): Promise<{
	readonly site: SshSite;
	readonly sshd: Sshd;
}> {
	if (missing({ command: "sshd" }) !== undefined || missing({ command: "ssh-keygen" }) !== undefined) return nothing;
	const site = await createSshSite();
	test.after(() => site.stop());
	return { site, sshd: await site.startSshd() };
}

/** Options of a service that keeps its known hosts in the site. */
export function toOptions(site: SshSite, changes: OptionsInput = {}): OptionsInput {
	return { ...changes, ssh_runner: { known_hosts: site.knownHosts, ssh_connect_timeout: 10, ...changes.ssh_runner } };
}

/** Parameters that reach a server of the site. */
export function toLogin(site: SshSite, ...servers: readonly { readonly port: number }[]): RunnerParameters {
	return { hosts: servers.map(({ port }) => `127.0.0.1:${port}`).join(","), username: site.username, private_key: site.key };
}

/** Run one action with a runner of its own. */
export async function runRemote(run: RemoteRun): Promise<RemoteRunEnd> {
	const [end] = await runRemotes([run]);
	if (end === undefined) throw new Error("the runner was not started");
	return end;
}

/** Run actions with one runner, each after the one before it. */
export async function runRemotes(runs: readonly RemoteRun[]): Promise<readonly RemoteRunEnd[]> {
	const [first] = runs;
	const ends: RemoteRunEnd[] = [];
	if (first === undefined) return ends;
	await withRunner(
		first.plugin.create(),
		async (runner) => {
			for (const run of runs) {
				await run.before?.();
				const context = createRunContext(runner, run);
				const running = runner.run(context);
				running.catch(() => {});
				await run.during?.(context);
				ends.push({ ...(await running), context });
			}
		},
		// On a node of its own: runners of one node share their connections.
		{ nodeId: `node-${++lastNode}`, ...(first.options === undefined ? {} : { options: first.options }) },
	);
	return ends;
}

let lastNode = 0;

const nothing = {
	site: { directory: "", username: "", key: "", knownHosts: "" } as SshSite,
	sshd: { port: 0, hostKey: "" } as Sshd,
};
