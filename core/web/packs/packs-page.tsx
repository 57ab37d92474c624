import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { addressBar, toHref } from "../kit/address.ts";
import { attempt } from "../kit/notices.ts";
import { client, session } from "../kit/service.ts";
import { Tabs } from "../parts/tabs.tsx";
import { FollowedPacks } from "./followed-packs.tsx";
import { InstallDialog } from "./install-dialog.tsx";
import { NewerPacks } from "./newer-packs.tsx";
import { mayBegin } from "./pack-jobs.ts";
import { PackList } from "./pack-list.tsx";
import { PackSearch } from "./pack-search.tsx";

interface View {
	readonly name: string;
	readonly title: string;
	readonly permission: string;
	readonly Shown: ComponentType;
}

const views: readonly View[] = [
	{ name: "all", title: "Packs", permission: "pack_list", Shown: PackList },
	{ name: "newer", title: "Newer", permission: "pack_search", Shown: NewerPacks },
	{ name: "followed", title: "Followed in git", permission: "pack_list", Shown: FollowedPacks },
	{ name: "index", title: "Index", permission: "pack_search", Shown: PackSearch },
];

/** The packs of the service, and those that could be. */
export function Page() {
	const offered = views.filter(({ permission }) => session.may(permission));
	const current = offered.find(({ name }) => name === addressBar.query("view")) ?? offered[0];
	const tabs = offered.map(({ name, title }) => ({ name, title, href: toHref("/packs", { view: name === "all" ? undefined : name }) }));
	const isInstalling = useSignal(false);
	return (
		<>
			<div class="page-head">
				<h1>Packs</h1>
				{session.may("pack_register") && (
					<button type="button" title="Have packs be what their files say" onClick={() => void register()}>
						Read again
					</button>
				)}
				{mayBegin("install") && (
					<button type="button" class="primary" onClick={() => (isInstalling.value = true)}>
						Install …
					</button>
				)}
			</div>
			<Tabs label="Views of packs" tabs={tabs} current={current?.name ?? ""} />
			{current !== undefined && <current.Shown />}
			{isInstalling.value && <InstallDialog onClose={() => (isInstalling.value = false)} />}
		</>
	);
}

async function register(): Promise<void> {
	await attempt(
		() => client.packs.register(),
		(counts) =>
			`Packs are what their files say: ${Object.entries(counts)
				.map(([kind, count]) => `${count} ${kind}`)
				.join(", ")}`,
	);
}
