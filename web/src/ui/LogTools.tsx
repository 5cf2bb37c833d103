/** Above a log: what to look for in it, how much there is, its end, its download. */
import { ArrowDownToLine, Download, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { plural } from "@/lib/format";
import { countInWords, LEVELS } from "@/lib/log";
import { IconButton } from "./Button";
import { toast } from "./Toasts";

export interface Looking {
  text: string;
  setText: (text: string) => void;
  level: string;
  setLevel: (level: string) => void;
}

interface Props {
  looking: Looking;
  shown: number;
  all: number;
  live: boolean;
  isFollowing: boolean;
  onFollow: () => void;
  onDownload: () => Promise<void>;
}

export function LogTools(props: Props) {
  const { looking, shown, all, live, isFollowing, onFollow, onDownload } = props;
  const { text, setText, level, setLevel } = looking;
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
      <div className="relative min-w-40 flex-1 max-sm:basis-full">
        <Search aria-hidden className="absolute inset-y-0 left-2 my-auto size-4 text-ink-3" />
        <input
          type="search"
          aria-label="Search in the log"
          placeholder="Search in the log"
          className="field w-full pl-8"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <select
        aria-label="Lowest level"
        className="field max-sm:min-w-24 max-sm:flex-1"
        value={level}
        onChange={(event) => setLevel(event.target.value)}
      >
        <option value="">All levels</option>
        {LEVELS.slice(1).map((each) => (
          <option key={each} value={each}>
            {each} and worse
          </option>
        ))}
      </select>
      <span className="num text-xs whitespace-nowrap text-ink-2">
        {countInWords(shown, all)}
        {live && " · live"}
      </span>
      <Found many={shown} text={text} level={level} />
      <IconButton
        label="Follow the end"
        aria-pressed={isFollowing}
        className={isFollowing ? "bg-accent-soft text-accent" : ""}
        onClick={onFollow}
      >
        <ArrowDownToLine className="size-4" />
      </IconButton>
      <IconButton
        label="Download the log"
        onClick={() => void onDownload().catch((error) => toast.failed(error))}
      >
        <Download className="size-4" />
      </IconButton>
    </div>
  );
}

interface FoundProps {
  many: number;
  text: string;
  level: string;
}

/** Heard once for each search, not for each line that comes. */
function Found({ many, text, level }: FoundProps) {
  const latest = useRef(many);
  latest.current = many;
  const [told, setTold] = useState("");
  useEffect(() => {
    const found = () => setTold(`${plural(latest.current, "line")} found`);
    const timer = setTimeout(text || level ? found : () => setTold(""), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text, level]);
  return (
    <span role="status" className="sr-only">
      {told}
    </span>
  );
}

const SETTLED_MS = 600;
