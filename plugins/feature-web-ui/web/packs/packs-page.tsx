import { useSignal } from "@preact/signals";
import { attempt } from "../kit/notices.ts";
import { addressBar, toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type PageTab, PageTabs } from "../parts/page-tabs.tsx";
import { FollowedPacks } from "./followed-packs.tsx";
import { InstallDialog } from "./install-dialog.tsx";
import { OutdatedPacks } from "./outdated-packs.tsx";
import { mayBegin } from "./pack-jobs.ts";
import { PackList } from "./pack-list.tsx";
import { PackSearch } from "./pack-search.tsx";

const views: readonly PageTab[] = [
	{ name: "all", title: "Packs", permission: "pack_list", Shown: PackList },
	{ name: "newer", title: "Newer", permission: "pack_search", Shown: OutdatedPacks },
	{ name: "followed", title: "Followed in git", permission: "pack_list", feature: "packInstaller", Shown: FollowedPacks },
	{ name: "index", title: "Index", permission: "pack_search", Shown: PackSearch },
];

/** Shows the installed packs and those that can be installed. */
export function Page() {
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
			<PageTabs
				label="Views of packs"
				views={views}
				chosen={addressBar.query("view")}
				toViewHref={(name) => toHref("/packs", { view: name === "all" ? undefined : name })}
				refusal="You may see neither packs nor where they come from."
			/>
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
