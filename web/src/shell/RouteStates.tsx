import { Link, useRouter } from "@tanstack/react-router";
import { Compass } from "lucide-react";
import { buttonClass } from "@/ui/Button";
import { Empty, ErrorPanel, PageHead, Skeleton } from "@/ui/Panels";

export function RouteError({ error }: { error: unknown }) {
  const router = useRouter();
  return (
    <div className="mx-auto max-w-2xl p-6">
      <ErrorPanel error={error} retry={() => void router.invalidate()} />
    </div>
  );
}

export function RouteMissing() {
  return (
    <>
      <PageHead title="Not found" />
      <Empty
        icon={Compass}
        title="There is no such page"
        action={
          <Link to="/" className={buttonClass("primary")}>
            Go to the overview
          </Link>
        }
      >
        The address may be mistyped, or from another version of Rota.
      </Empty>
    </>
  );
}

export function RoutePending() {
  return <Skeleton lines={8} />;
}
