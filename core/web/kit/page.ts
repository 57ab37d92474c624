import type { ComponentType } from "preact";
import { session } from "./service.ts";

/** What a page is given: the values of the `:names` of its path. */
export interface PageProps {
	readonly values: Readonly<Record<string, string>>;
}

/** A page, as the list of them has it (`core/web/pages.ts`). */
export interface PageDefinition {
	/** Where it is, behind the `#`: `/history/:id`; a name with `?` may be missing. */
	readonly path: string;
	/** What it is called in the navigation, in the title of the window and in the palette. */
	readonly title: string;
	/** The permission without which it is not offered; of several, one is enough. Default: none is needed. */
	readonly permission?: string | readonly string[];
	/** Where in the navigation it stands. Default: not in it. */
	readonly group?: PageGroup;
	/** Its code, which is loaded when somebody goes there. */
	load(): Promise<{ readonly Page: ComponentType<PageProps> }>;
}

/** The parts of the navigation, in order. */
export const pageGroups = ["Watch", "Automate", "Manage"] as const;

export type PageGroup = (typeof pageGroups)[number];

/** Whether a page is offered to whoever looks: it stands in the navigation, and they may see something there. */
export function isOffered({ group, permission = [] }: PageDefinition): boolean {
	const permissions = [permission].flat();
	return group !== undefined && (permissions.length === 0 || permissions.some((each) => session.may(each)));
}
