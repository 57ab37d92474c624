import type { Command } from "commander";
import { isSvcError } from "../../contract/index.ts";

/** The feature of a service whose routes a command calls. */
export interface CommandFeature {
	/** Name in messages, such as `audit`. */
	readonly name: string;
	/** How a configuration adds the feature, such as `audit() of svc-automation/plugins/feature-audit`. */
	readonly add: string;
}

const features = new WeakMap<Command, CommandFeature>();

/**
 * Declares the feature whose routes a command, or all commands of a group, call. If the service does not have the feature, `toFailure` ends
 * the command with a message that says how to add it.
 */
export function withFeature(command: Command, feature: CommandFeature): Command {
	features.set(command, feature);
	return command;
}

/** Returns the feature that was declared for a command or for its group. Returns undefined if none was. */
export function findFeature(command: Command): CommandFeature | undefined {
	return features.get(command) ?? (command.parent === null ? undefined : findFeature(command.parent));
}

/**
 * Returns true if the service answered that it does not have the route of a request. The answer is 405 instead of 404 if a route with
 * another method matches the path: without `packInstaller`, `GET /packs/:pack` of core matches the path of `POST /packs/install`.
 */
export function isMissingRoute(error: unknown): error is Error {
	return isSvcError(error) && [404, 405].includes(Number(error.facts["status"])) && error.message.startsWith("no route for ");
}
