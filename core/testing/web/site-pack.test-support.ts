import { stringify } from "yaml";
import { workflow } from "../../../plugins-runner/workflow/index.ts";
import { chatty } from "./chatty.test-support.ts";

const steps = ["fetch the release", "check its signature", "unpack", "compile assets", "migrate the database", "restart workers"];

/** What a deployment prints, with the colours of a terminal. */
const printed = Array.from({ length: 240 }, (_, index) => {
	const step = steps[Math.floor(index / 40)] ?? "";
	if (index % 40 === 0) return `\u001b[1m== ${step}\u001b[0m`;
	return `\u001b[32mok\u001b[0m   ${step}: part ${index % 40} of 39 \u001b[38;5;244m(${(index * 37) % 900} ms)\u001b[0m`;
}).join("\n");

const toAction = (name: string, description: string, defaults: Readonly<Record<string, string>> = {}) =>
	stringify({
		...{ name, description, runner_type: "chatty" },
		parameters: Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, { type: "string", default: value }])),
	});

const release = {
	version: "1.0",
	tasks: {
		build: { action: "site.deploy", next: [{ when: "<% succeeded() %>", do: "check_web, check_mail" }] },
		check_web: { action: "site.check_certificates", next: [{ when: "<% succeeded() %>", do: "restart" }] },
		check_mail: {
			with: "<% list(mx1, mx2, mx3) %>",
			action: "site.check_certificates",
			next: [{ when: "<% succeeded() %>", do: "restart" }],
		},
		restart: {
			join: "all",
			action: "site.restart_web",
			next: [
				{ when: "<% failed() %>", do: "roll_back" },
				{ when: "<% succeeded() %>", do: "tell" },
			],
		},
		roll_back: { action: "site.backup_database" },
		tell: { action: "site.deploy" },
	},
};

/** Options for `withWeb`: a pack such as somebody may have, for pictures. */
export const site = {
	runners: [chatty(), workflow()],
	packs: {
		"site/pack.yaml": stringify({ ref: "site", name: "site", description: "Runs a site.", version: "2.1.0", author: "somebody" }),
		"site/actions/deploy.yaml": toAction("deploy", "Deploys a release.", {
			text: `${printed}\n`,
			errors: "warning: 2 workers were slow to stop\n",
		}),
		"site/actions/backup_database.yaml": toAction("backup_database", "Copies the database.", { text: "42 tables, 1.9 GB\n" }),
		"site/actions/check_certificates.yaml": toAction("check_certificates", "Says which certificates end soon.", { text: "all good\n" }),
		"site/actions/restart_web.yaml": toAction("restart_web", "Restarts the web servers.", {
			text: "stopping web1\nstopping web2\nstarting web1\n",
			errors: "web1: port 443 is in use by process 2817\n",
			fail: "web1 did not start",
		}),
		"site/actions/release.yaml": stringify({ name: "release", runner_type: "workflow", entry_point: "workflows/release.yaml" }),
		"site/actions/workflows/release.yaml": stringify(release),
	},
};
