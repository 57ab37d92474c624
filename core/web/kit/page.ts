import type { ComponentType } from "preact";

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
	/** The permission without which it is not offered. Default: none is needed. */
	readonly permission?: string;
	/** Where in the navigation it stands. Default: not in it. */
	readonly group?: PageGroup;
	/** Its code, which is loaded when somebody goes there. */
	load(): Promise<{ readonly Page: ComponentType<PageProps> }>;
}

/** The parts of the navigation, in order. */
export const pageGroups = ["Watch", "Automate", "Manage"] as const;

export type PageGroup = (typeof pageGroups)[number];
