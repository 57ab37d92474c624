import "../plugins/_shipped/optional-features.ts";
import { type OptionDefinition, type OptionDefinitions, type OptionSections, optionSections } from "../core/contract/index.ts";
import { toVariableName } from "../core/service/config/environment.ts";
import { shippedFeatures } from "../core/service/config/left-out-features.ts";

/** `docs/reference/configuration.md`, made from the option definitions so that the two cannot differ. */
export function toConfigurationReference(): string {
	const sections = [
		...toSections(optionSections, ""),
		...shippedFeatures().flatMap(({ name, options = {} }) =>
			toSections(options, `Only with the feature \`${name}()\`; see [Features](#features).\n\n`),
		),
	];
	return [introduction, ...sections].join("\n");
}

const introduction = `# Configuration

<!-- Made by \`npm run docs:update\` from the definitions of the options. Do not edit. -->

A service is configured by \`svc.config.ts\`: plugins, which are function calls, and options, which are data.

\`\`\`ts
import { defineConfig } from "svc-automation";
import { flatFile } from "svc-automation/plugins-auth/flat-file";
import { memoryBus } from "svc-automation/plugins/event-bus-memory";
import { webUi } from "svc-automation/plugins/feature-web-ui";
import { localCommand } from "svc-automation/plugins-runner/local-command";
import { knexStorage } from "svc-automation/plugins/storage-knex";

export default defineConfig({
	features: [webUi()],
	storage: knexStorage({ client: "sqlite" }),
	event_bus: memoryBus(),
	runners: [localCommand()],
	auth: { backend: flatFile(), token_ttl: 3_600 },
	api: { port: 8080 },
});
\`\`\`

## Plugins and places

| Member | Required | Meaning |
|---|---|---|
| \`storage\` | yes | where everything is kept |
| \`event_bus\` | yes | wake-ups and live events between the parts of the service |
| \`runners\` | yes | runner types that actions may use |
| \`auth.backend\` | no | verifies user names and passwords: a plugin, or a name of \`auth_backends\`; default the one called \`flat_file\`. \`SVC_AUTH_BACKEND\` takes precedence |
| \`auth.backend_kwargs\` | no | arguments for a backend given by name: an object or its JSON text. \`SVC_AUTH_BACKEND_KWARGS\` takes precedence |
| \`auth_backends\` | no | backends to choose from by name: \`{ flat_file, ldap, pam }\`, each a function from arguments to a plugin |
| \`rbac.roles\`, \`rbac.assignments\`, \`rbac.mappings\` | no | roles, who has them, and which groups of the auth backend give them |
| \`features\` | no | [features](#features) beside those that every service has; default none |
| \`packs\` | no | pack directories, or directories of pack directories, relative to the configuration file; with the feature \`packInstaller()\` also [repositories](../guides/sync-packs-from-git.md) |
| \`configs\` | no | directory of pack configurations, \`<pack>.yaml\` each, relative to the configuration file; default \`configs\` in the data directory |
| \`data_dir\` | no | data directory, relative to the configuration file; default \`./data\` |

## Features

Every service has these features: access, datastore, packs, sensors, triggers, policies, webhooks, timers, rules, actions, executions, workflows,
inquiries, traces, nodes, telemetry and retention. The configuration lists all others in \`features\`, in any order:

| Feature | Module | Adds | Options |
|---|---|---|---|
| \`webUi()\` | \`svc-automation/plugins/feature-web-ui\` | the [web page](../guides/web-interface.md). Without it, a browser gets a page that names the other ways to use the service | [\`webui.enable\`](#webui) |
| \`audit()\` | \`svc-automation/plugins/feature-audit\` | the [audit record](../guides/audit.md) of who has changed what, \`svc audit\`, the permission \`audit_view\` | [\`audit\`](#audit) |
| \`aliases()\` | \`svc-automation/plugins/feature-aliases\` | [action aliases](action-aliases.md), which packs have in \`aliases\`, the pack \`chatops\`, \`svc action-alias\`, the permissions \`action_alias_…\` | |
| \`workers()\` | \`svc-automation/plugins/feature-workers\` | runs on [machines that only reach out](../guides/remote-workers.md), \`svc worker\`, the permissions \`worker_…\` | [\`workers\`](#workers) |
| \`packInstaller()\` | \`svc-automation/plugins/feature-pack-installer\` | [installing packs](../guides/use-packs.md#install-packs) and [following packs in git](../guides/sync-packs-from-git.md), the pack [\`packs\`](packs-pack.md), \`svc pack install\` and the like | |
| one of your own | | [Write a feature](../guides/write-a-feature.md) | |

The configurations that \`svc create project\` writes and that come with the package list all five. A service without a feature answers 404 to the
feature's requests, and the feature's commands say how to add it. The service does not start if the sections \`audit\` or
\`workers\` are set, if \`packs\` names a repository, or if a role names a permission, and the feature for it is not listed:

\`\`\`text
audit: the feature "audit" is not listed in features; hint: add audit() of svc-automation/plugins/feature-audit to features
\`\`\`

The log of each start names the features of the package that the configuration leaves out. What a feature has stored stays in the database if the
feature is left out later.

## Environment

Every option below can be set as \`SVC_<SECTION>_<OPTION>\`, such as \`SVC_API_PORT\`; the environment takes precedence over the file. Lists are
separated by commas. Two more variables:

| Variable | Meaning |
|---|---|
| \`SVC_DATA_DIR\` | data directory; takes precedence over \`data_dir\` |
| \`SVC_ADMIN_PASSWORD\` | password of the first administrator, made at the first start; without it a random one is printed once |

## Mistakes

An unknown section or option, a wrong type and a value out of range are refused at start. All of them are named at once, each with
its path, the value and what is allowed.
`;

/** @param note paragraph before the table of each section */
function toSections(sections: OptionSections, note: string): readonly string[] {
	return Object.entries(sections).map(([name, options]) => toSection(name, options, note));
}

function toSection(name: string, options: OptionDefinitions, note: string): string {
	const rows = Object.entries(options).map(([option, definition]) =>
		[
			`\`${option}\``,
			typeOf(definition),
			`\`${JSON.stringify(definition.default)}\``,
			`\`${toVariableName(name, option)}\``,
			definition.description,
		].join(" | "),
	);
	return `## ${name}\n\n${note}| Option | Type | Default | Environment | Meaning |\n|---|---|---|---|---|\n${rows.map((row) => `| ${row} |\n`).join("")}`;
}

function typeOf(definition: OptionDefinition): string {
	if (definition.type === "string" && definition.choices !== undefined)
		return definition.choices.map((choice) => `\`"${choice}"\``).join(" or ");
	if (definition.type === "list")
		return definition.choices === undefined
			? "list of strings"
			: `list of ${definition.choices.map((choice) => `\`"${choice}"\``).join(", ")}`;
	if (definition.type !== "integer" && definition.type !== "number") return definition.type;
	const { type, minimum, maximum } = definition;
	if (minimum !== undefined && maximum !== undefined) return `${type}, ${minimum} to ${maximum}`;
	return minimum === undefined ? type : `${type}, at least ${minimum}`;
}
