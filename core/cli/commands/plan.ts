import { stringifyJson } from "../../contract/index.ts";
import { comparePlan } from "../compare-plan.ts";
import { CliExit, write } from "../context.ts";
import { toPlanText } from "../plan-text.ts";
import { openSession } from "../session.ts";
import { parseCommaList } from "./comma-list.ts";
import { configOption } from "./config-option.ts";
import { withExamples } from "./examples.ts";
import { type AddCommands, optionsOf } from "./options.ts";

interface PlanCommandOptions {
	readonly config: string;
	readonly only?: readonly string[];
}

/** Adds the command that shows what `svc serve` would do with a configuration. */
export const addPlanCommand: AddCommands = (parent, context) => {
	const { plan } = context;
	if (plan === undefined) return;
	parent
		.command("plan")
		.description("Check a configuration and show what `svc serve` would do with it, without changing anything.")
		.option(...configOption)
		.option("--only <parts>", "parts to run on this node, as for `svc serve`", (text: string, before: readonly string[] = []) => [
			...before,
			...parseCommaList(text),
		])
		.option("-t, --token <token>", "token for comparing with the running service (SVC_AUTH_TOKEN)")
		.option("--api-key <key>", "API key for comparing with the running service (SVC_API_KEY)")
		.option("-j, --json", "print JSON")
		.action(async (_options, command) => {
			const options = optionsOf<PlanCommandOptions>(command);
			const planned = await plan({ config: options.config, only: options.only });
			const running = await comparePlan(planned, () => openSession(options, context, { signIn: false }));
			const report = { ...planned, running };
			await write(context.stdout, options.json ? `${stringifyJson(report, 4)}\n` : toPlanText(report));
			if (!planned.would_start) throw new CliExit(1);
		});
	withExamples(parent, {
		plan: ["svc plan", "svc plan --config ./svc.config.ts --only api -j"],
	});
};
