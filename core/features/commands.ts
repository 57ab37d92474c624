import type { AddCommands } from "../cli/commands/options.ts";
import { addApiKeyCommands } from "./access/api-keys-commands.ts";
import { addRoleCommands } from "./access/roles-commands.ts";
import { addSignInCommands } from "./access/sign-in-commands.ts";
import { addCatalogCommands } from "./actions/commands.ts";
import { addKeyCommands } from "./datastore/commands.ts";
import { addExecutionCommands } from "./executions/commands.ts";
import { addRunCommand } from "./executions/run-commands.ts";
import { addInquiryCommands } from "./inquiries/commands.ts";
import { addNodeCommands } from "./nodes/commands.ts";
import { addPackConfigCommands } from "./packs/commands.ts";
import { addPackCommands } from "./packs/pack-commands.ts";
import { addPolicyCommands } from "./policies/commands.ts";
import { addPurgeCommands } from "./retention/commands.ts";
import { addRuleCommands } from "./rules/commands.ts";
import { addSensorCommands } from "./sensors/commands.ts";
import { addTimerCommands } from "./timers/commands.ts";
import { addTraceCommands } from "./traces/commands.ts";
import { addTriggerCommands } from "./triggers/commands.ts";
import { addWebhookCommands } from "./webhooks/commands.ts";
import { addWorkflowCommands } from "./workflows/commands.ts";

/** The commands of the features that every service has, in the order in which the help shows them. */
export const commands: readonly AddCommands[] = [
	addSignInCommands,
	addRunCommand,
	addExecutionCommands,
	addWorkflowCommands,
	addInquiryCommands,
	addCatalogCommands,
	addApiKeyCommands,
	addKeyCommands,
	addPackCommands,
	addPackConfigCommands,
	addRoleCommands,
	addRuleCommands,
	addPolicyCommands,
	addTriggerCommands,
	addTraceCommands,
	addWebhookCommands,
	addTimerCommands,
	addSensorCommands,
	addPurgeCommands,
	addNodeCommands,
];
